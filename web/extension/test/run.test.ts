import { beforeEach, describe, expect, it, vi } from "vitest";
import { areas, installChrome, starts, tabs } from "./fake-chrome";

installChrome();

/** A worker's life: the modules are loaded anew, what is kept is not. */
async function wake(tell: () => void = () => undefined) {
  vi.resetModules();
  const book = await import("../src/book");
  tell();
  await book.bookReady;
  return book;
}

async function own(book: Awaited<ReturnType<typeof wake>>, tab: number) {
  await book.edit(tab, (entry) => {
    entry.own = true;
    entry.number = tab;
  });
}

beforeEach(() => {
  areas.local.clear();
  areas.session.clear();
  tabs.clear();
  tabs.set(7, { id: 7, windowId: 1 });
});

describe("what is known of tabs", () => {
  it("survives the worker's death", async () => {
    const before = await wake();
    await own(before, 7);
    const after = await wake();
    expect(after.known(7)?.number).toBe(7);
    expect(after.boot()).toBe(before.boot());
  });

  it("survives an update of the extension, but for tabs that were closed meanwhile", async () => {
    const before = await wake();
    await own(before, 7);
    await own(before, 8);
    areas.session.clear();
    const after = await wake(() => starts.onInstalled.tell({ reason: "update" }));
    expect(after.known(7)?.number).toBe(7);
    expect(after.known(8)).toBeNull();
    expect(after.boot()).toBe(before.boot());
  });

  it.each([
    ["the browser starts", () => starts.onStartup.tell()],
    ["Chrome tells nothing", () => undefined],
    [
      "the extension was updated as the browser started",
      () => {
        starts.onInstalled.tell({ reason: "update" });
        setTimeout(() => starts.onStartup.tell(), 20);
      },
    ],
  ])("is forgotten when %s, even if an id is there again", async (_, tell) => {
    const before = await wake();
    await own(before, 7);
    areas.session.clear();
    const after = await wake(tell);
    expect(after.known(7)).toBeNull();
    expect(after.boot()).not.toBe(before.boot());
  });

  it("is found under the id that Chrome gave a tab instead of another", async () => {
    const book = await wake();
    await own(book, 7);
    await book.rename(7, 9);
    await book.rename(9, 12);
    expect(book.idNow(7)).toBe(12);
    expect(book.idNow(12)).toBe(12);
    expect(book.known(book.idNow(7))?.number).toBe(7);
    expect(book.known(7)).toBeNull();
  });
});
