import { describe, expect, it } from "vitest";
import {
  type Question,
  questionIn,
  sameQuestion,
  stateOf,
  stillKept,
  withEnding,
} from "../src/questions";

const question: Question = {
  id: "a",
  session: "s1",
  client: "Atlas",
  tab: 7,
  kind: "login",
  message: "please sign in",
  options: [],
  until: null,
  url: "https://a.example/login",
  since: 1_000,
  ended: null,
};

describe("a question", () => {
  it("is one by session, tab and kind while it is open, whatever its words", () => {
    const put = { ...question, message: "again, please" };
    expect(sameQuestion([question], put)?.id).toBe("a");
    expect(sameQuestion([question], { ...put, session: "s2" })).toBeNull();
    expect(sameQuestion([question], { ...put, tab: 8 })).toBeNull();
    expect(sameQuestion([question], { ...put, kind: "code" })).toBeNull();
  });
  it("that ended answers only the very same words", () => {
    const ended = withEnding([question], "a", { how: "done" }, 5_000);
    expect(sameQuestion(ended, question)?.ended?.how).toEqual({ how: "done" });
    expect(sameQuestion(ended, { ...question, message: "another thing" })).toBeNull();
  });
  it("ends once", () => {
    const ended = withEnding([question], "a", { how: "met" }, 5_000);
    expect(withEnding(ended, "a", { how: "done" }, 6_000)).toBe(ended);
    expect(withEnding(ended, "b", { how: "done" }, 6_000)).toBe(ended);
    expect(stateOf({ ...question, ...ended[0] }, 9_000)).toEqual({
      id: "a",
      waitedMs: 4_000,
      url: "https://a.example/login",
      ended: { how: "met" },
    });
  });
  it("holds its tab while it is open, and is kept ten minutes more", () => {
    expect(questionIn([question], 7)?.id).toBe("a");
    const ended = withEnding([question], "a", { how: "denied" }, 5_000);
    expect(questionIn(ended, 7)).toBeNull();
    expect(stillKept(ended, 604_999)).toHaveLength(1);
    expect(stillKept(ended, 605_000)).toHaveLength(0);
    expect(stillKept([question], 10_000_000)).toHaveLength(1);
  });
});
