import { expect, it } from "vitest";
import { installChrome } from "./fake-chrome";

installChrome();
const leave = await import("../src/secret-leave");
const { missing } = leave;

const SHOP = "https://shop.example";
const CLUB = "https://club.example";
const field = { url: `${SHOP}/pay?now`, role: "textbox", name: "Member", form: `${SHOP}/join` };
const keysOf = (secret: string, ...sites: string[]) => missing(["none"], secret, sites, null);

it("a secret's first site needs no click, its second does, and both at once do", () => {
  expect(missing([], "work", [SHOP], null)).toEqual([]);
  const both = missing([], "work", [SHOP, CLUB], null);
  expect(both).toHaveLength(2);
  const [shop = ""] = both;
  expect(missing([shop], "work", [SHOP], null)).toEqual([]);
  expect(missing([shop], "work", [CLUB], null)).toHaveLength(1);
  expect(missing([shop], "work", [SHOP, CLUB], null)).toEqual([both[1]]);
  expect(missing(both, "work", [SHOP, CLUB], null)).toEqual([]);
});

it("what one secret may do says nothing of another, also when its name begins alike", () => {
  const both = missing([], "work", [SHOP, CLUB], null);
  expect(missing(both, "work2", [SHOP, CLUB], null)).toHaveLength(2);
  expect(missing(both, "wor", [CLUB], null)).toEqual([]);
  expect(keysOf("work", SHOP)).toEqual([]);
});

it("an odd field is asked for until it was allowed, as that very field", () => {
  const [key = ""] = missing([], "work", [SHOP], field);
  expect(key).toContain("Member");
  expect(missing([key], "work", [SHOP], { ...field, url: `${SHOP}/pay?later` })).toEqual([]);
  for (const other of [
    { name: "Comment" },
    { role: "searchbox" },
    { url: `${SHOP}/other` },
    { form: `${SHOP}/leave` },
    { form: null },
  ]) {
    expect(missing([key], "work", [SHOP], { ...field, ...other })).toHaveLength(1);
  }
  expect(missing([key], "home", [SHOP], field)).toHaveLength(1);
});

it("what is allowed is kept, shown and taken back", async () => {
  await leave.noteFirst("work", SHOP);
  expect(leave.notAllowed("work", [SHOP], null)).toEqual([]);
  const asked = leave.notAllowed("work", [CLUB], { ...field, url: CLUB });
  expect(asked).toHaveLength(2);
  await leave.allow(asked);
  expect(leave.secretLeaves()).toMatchObject([
    { secret: "work", origin: SHOP, field: null },
    { secret: "work", origin: CLUB, field: null },
    { secret: "work", origin: CLUB, field: "Member" },
  ]);
  await leave.noteFirst("work", "https://third.example");
  expect(leave.notAllowed("work", ["https://third.example"], null)).toHaveLength(1);
  for (const { key } of leave.secretLeaves()) await leave.disallow(key);
  expect(leave.secretLeaves()).toEqual([]);
});
