import { beforeEach, expect, it, vi } from "vitest";
import type { CdpCommand } from "../../wire/verb";
import { frames, installChrome } from "./fake-chrome";

installChrome();
const store = await import("../src/secret-store");

const SHOP = "https://shop.example";
const commands = (method: string): CdpCommand[] => [{ method, params: {}, noWait: false }];
const code = (tab: number) => store.reaching(tab, null, async () => "ran");
const look = (tab: number, method = "DOM.getDocument") =>
  store.reaching(tab, commands(method), async () => "looked");
const DONE = { heard: true, error: null };
const fill = (tab: number, document: string) => store.whileFilling(tab, document, async () => DONE);
const tainted = { code: "SECRET_TAINTED" };
const held = { code: "POLICY" };

let document = 0;
/** A page comes into a tab. */
function go(tab: number, url = `${SHOP}/`): string {
  document += 1;
  frames.set(tab, [{ documentId: `D${document}`, url }]);
  store.noteCommit(tab, `D${document}`, url);
  return `D${document}`;
}

beforeEach(async () => {
  for (const tab of frames.keys()) await store.forgetSecrets(tab);
  frames.clear();
});

it("a page in which a script ran gets no secret until it is loaded anew", async () => {
  const first = go(1);
  expect(await code(1)).toBe("ran");
  await expect(fill(1, first)).rejects.toMatchObject(tainted);
  expect(await fill(1, go(1))).toBe(DONE);
});

it("a touched page that comes back from history is still touched", async () => {
  const first = go(1);
  await code(1);
  go(1);
  frames.set(1, [{ documentId: first, url: `${SHOP}/` }]);
  await expect(fill(1, first)).rejects.toMatchObject(tainted);
});

it("an open page of the same site taints the others, one of another site does not", async () => {
  go(1);
  await code(1);
  const second = go(2);
  await expect(fill(2, second)).rejects.toMatchObject(tainted);
  go(1, "https://other.example/");
  expect(await fill(2, second)).toBe(DONE);
});

it("looking does not taint", async () => {
  const first = go(1);
  await look(1);
  await store.reaching(1, commands("Input.insertText"), async () => undefined);
  expect(await fill(1, first)).toBe(DONE);
});

it("a page that holds a secret is closed to scripts and looks, and others of its site to scripts", async () => {
  await fill(1, go(1));
  await expect(code(1)).rejects.toMatchObject(held);
  await expect(look(1)).rejects.toMatchObject(held);
  await expect(look(1, "Page.captureScreenshot")).rejects.toMatchObject(held);
  expect(await look(1, "Input.insertText")).toBe("looked");
  go(2);
  await expect(code(2)).rejects.toMatchObject(held);
  go(3, "https://other.example/");
  expect(await code(3)).toBe("ran");
  expect(await store.showsSecret(1)).toBe(true);
  go(1);
  expect(await store.showsSecret(1)).toBe(false);
  expect(await code(1)).toBe("ran");
  await expect(look(1, "Network.getRequestPostData")).rejects.toMatchObject(held);
});

it("a script that is still running taints, and none begins while a secret is filled in", async () => {
  const first = go(1);
  let end: () => void = () => undefined;
  const script = new Promise<void>((over, failed) => {
    store.reaching(1, null, () => new Promise<void>((done) => (end = done))).then(over, failed);
  });
  await vi.waitFor(() => expect(String(end)).toContain("native"));
  const second = go(1);
  await expect(fill(1, second)).rejects.toMatchObject(tainted);
  end();
  await script;
  expect(first).not.toBe(second);

  const third = go(1);
  const filled = store.whileFilling(1, third, async () => {
    await expect(code(1)).rejects.toMatchObject(held);
    go(2, "https://elsewhere.example/");
    await expect(code(2)).rejects.toMatchObject(held);
    return DONE;
  });
  await filled;
});

it("knows sites with secrets by the daemon's word and by its own memory", async () => {
  await store.setSecretOrigins(["https://bank.example", "http://evil.example", "*"]);
  expect(store.holdsSecret("https://bank.example")).toBe(true);
  expect(store.holdsSecret("http://evil.example")).toBe(false);
  await fill(1, go(1));
  await store.setSecretOrigins([]);
  expect(store.holdsSecret("https://bank.example")).toBe(false);
  expect(store.holdsSecret(SHOP)).toBe(true);
});

it("a field that was refused leaves the page open to scripts", async () => {
  const first = go(1);
  const error = { code: "APPROVAL_DENIED", message: "no field for it", others: [] } as const;
  await store.whileFilling(1, first, async () => ({
    heard: false,
    error: { ...error, others: [] },
  }));
  expect(await store.showsSecret(1)).toBe(false);
  expect(await code(1)).toBe("ran");
});
