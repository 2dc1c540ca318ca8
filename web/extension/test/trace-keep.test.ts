import { describe, expect, test } from "vitest";
import { TRACE_CHARS, TRACE_TOLD } from "../src/limits";
import { TraceKeep } from "../src/trace-keep";

const TOP = "A";
const started = (frames: object[]) => ({
  name: "TracingStartedInBrowser",
  pid: 1,
  ts: 0,
  args: { data: { frames } },
});
const committed = (data: object) => ({
  name: "FrameCommittedInBrowser",
  pid: 1,
  ts: 5,
  args: { data },
});
const call = (frame: string, more: object = {}, data: object = {}) => ({
  name: "FunctionCall",
  ph: "X",
  pid: 7,
  tid: 1,
  ts: 1_000,
  dur: 2_000,
  args: { data: { frame, functionName: `in ${frame}`, url: "https://a/", ...data } },
  ...more,
});
const task = (ts: number, more: object = {}) => ({
  name: "RunTask",
  ph: "X",
  pid: 7,
  tid: 1,
  ts,
  dur: 60_000,
  args: {},
  ...more,
});

function kept(events: object[], hidden: string[] = []) {
  const keep = new TraceKeep();
  keep.add([started([{ frame: TOP, processId: 7, url: "https://a/" }])]);
  keep.add(events);
  return keep.end({ frames: [TOP], isHidden: (url) => hidden.some((one) => url.includes(one)) });
}

const names = (told: ReturnType<typeof kept>) =>
  told.events.map((event) => {
    const { args } = event as { args: { data?: { functionName?: string } } };
    return args.data?.functionName;
  });

describe("what is told of a trace", () => {
  test("frames of the tab, also those that came later, and no others", () => {
    const told = kept([
      call("A"),
      call("B", { pid: 8 }),
      call("X"),
      call("Y", { pid: 9 }),
      // The browser tells of it after its process did.
      committed({ frame: "B", parent: "A", processId: 8, url: "https://b/" }),
      committed({ frame: "Y", parent: "Z", processId: 9, url: "https://y/" }),
    ]);
    expect(names(told)).toEqual(["in A", "in B"]);
  });

  test("a frame of a closed site, and what is in it, are left out", () => {
    const told = kept(
      [
        committed({ frame: "B", parent: "A", processId: 7, url: "https://bank.example/" }),
        committed({ frame: "C", parent: "B", processId: 7, url: "https://fine.example/" }),
        call("A"),
        call("B"),
        call("C"),
      ],
      ["bank.example"],
    );
    expect(names(told)).toEqual(["in A"]);
    expect(told.hidden).toBe(2);
  });

  test("a page that the tab itself went to and that is closed takes the whole tab with it", () => {
    const move = committed({ frame: TOP, processId: 7, url: "https://bank.example/" });
    expect(kept([call("A"), move], ["bank.example"]).events).toEqual([]);
  });

  test("another process that names our frame is not believed", () => {
    expect(kept([call("A", { pid: 99 })]).events).toEqual([]);
  });

  test("long tasks only of threads that are the tab's, and of nobody else's work", () => {
    const told = kept([
      call("A", { ts: 10_000 }),
      task(0),
      task(200_000),
      call("X", { ts: 210_000 }),
      task(400_000, { tid: 2 }),
      task(600_000, { dur: 10_000 }),
    ]);
    const times = told.events.map((event) => (event as { ts: number }).ts);
    expect(times).toEqual([10_000, 0]);
  });

  test("a request's end is told when its beginning was the tab's", () => {
    const send = (frame: string, requestId: string) => ({
      name: "ResourceSendRequest",
      pid: 7,
      tid: 1,
      ts: 1,
      args: { data: { frame, requestId, url: "https://a/", headers: [["Cookie", "s"]] } },
    });
    const end = (requestId: string) => ({
      name: "ResourceFinish",
      pid: 7,
      tid: 1,
      ts: 2,
      args: { data: { requestId, encodedDataLength: 3 } },
    });
    const told = kept([send("A", "1"), send("X", "2"), end("1"), end("2")]);
    expect(told.events).toHaveLength(2);
    expect(JSON.stringify(told.events)).not.toContain("Cookie");
  });

  test("unknown names and fields are left out, texts are cut", () => {
    const long = "x".repeat(TRACE_CHARS * 2);
    const told = kept([
      { ...call("A"), name: "Receive mojo message" },
      call("A", {}, { functionName: long, secret: "s3cret", isolate: "1" }),
    ]);
    expect(told.events).toHaveLength(1);
    const text = JSON.stringify(told.events);
    expect(text).not.toContain("s3cret");
    expect(text.length).toBeLessThan(TRACE_CHARS + 300);
  });

  test("what is no event breaks nothing, and too many are counted", () => {
    const odd = [
      null,
      7,
      "x",
      [],
      {},
      { name: 1 },
      { name: "RunTask" },
      { name: "Layout", args: 3 },
    ];
    const many = Array.from({ length: TRACE_TOLD + 10 }, () => call("A"));
    const told = kept([...(odd as object[]), ...many]);
    expect(told.events).toHaveLength(TRACE_TOLD);
    expect(told.dropped).toBe(10);
  });
});
