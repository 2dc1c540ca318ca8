//! The page agent of one document: answers the engine's calls with facts. Installs one global in the
//! isolated world and nothing that the page can see. A call never rejects.

import type { PageCall, TextFormat, TextPart } from "../../wire/page.ts";
import { aimAt, aimFocus, aimOf, doesAct, pointAbove, pressPoint } from "./aim.ts";
import { pageArticle } from "./article.ts";
import { audit } from "./audit.ts";
import { takeBaseline } from "./baseline.ts";
import { changes } from "./changes.ts";
import { domInput } from "./dom-input.ts";
import { extract } from "./extract.ts";
import { Fault, gone, unreachable } from "./fault.ts";
import { fill, fillCheck } from "./fill.ts";
import { kept } from "./fill-kept.ts";
import { fillSecret, lookForSecret } from "./fill-secret.ts";
import { focused, focusOn } from "./focus.ts";
import { infoOf, listenForToken, tellFrames, tokenKnown, tokenOf } from "./frames.ts";
import { deepAt } from "./hit.ts";
import { listenForInput } from "./input-seen.ts";
import { inspect } from "./inspect.ts";
import { endLook, look } from "./look.ts";
import { pageMarkdown } from "./markdown.ts";
import { nextControl } from "./next-control.ts";
import { outline } from "./outline.ts";
import { actingAround } from "./owner.ts";
import { patch, patches, unpatch } from "./patch.ts";
import { pdfPiece } from "./pdf.ts";
import { prepare } from "./prepare.ts";
import { reading } from "./reading.ts";
import { elementOf } from "./registry.ts";
import { scroll } from "./scroll.ts";
import { veilSecrets } from "./secret-fields.ts";
import { settle } from "./settle.ts";
import { sourceMap } from "./source-map.ts";
import { storage } from "./storage.ts";
import { described, resolve } from "./target.ts";
import { pageText } from "./text.ts";
import { through } from "./through.ts";
import { adopt, setFiles } from "./upload.ts";
import { inView } from "./view.ts";
import { wait } from "./wait.ts";
import { abortAll } from "./waiting.ts";
import { wellFormed } from "./well-formed.ts";
import { world } from "./world.ts";

type Reply = { ok: unknown } | { error: unknown };

async function answer(call: PageCall): Promise<unknown> {
  switch (call.op) {
    case "hello":
      await placed();
      return infoOf(document);
    case "snapshot":
      await placed();
      return outline(call);
    case "text": {
      await placed();
      const root = call.root === null || call.root === undefined ? undefined : must(call.root);
      return { document: infoOf(document), parts: partsOf(root, call.format ?? null) };
    }
    case "extract":
      await placed();
      return extract(call.root ?? null, call.like ?? null, call.from, call.limit);
    case "next_control":
      return nextControl(call.root ?? null);
    case "pdf":
      return pdfPiece(call.from);
    case "rects":
      return reading(() => call.ids.map(inView));
    case "resolve":
      return reading(() => resolve(call.step, call.within, call.limit));
    case "describe":
      return described(must(call.id));
    case "at":
      return at(call.x, call.y);
    case "focused":
      return focused();
    case "prepare":
      return prepare(call.id, call.act);
    case "through":
      return through(call.token, call.x, call.y);
    case "baseline":
      takeBaseline(null, null);
      return null;
    case "settle":
      return settle(call.frames, call.capMs);
    case "changes":
      return changes(call.limit);
    case "fill":
      return fill(call.id, call.value);
    case "fill_check":
      return fillCheck(call.id, call.value);
    case "kept":
      return kept(call.ids);
    case "focus":
      return focusOn(call.id, call.caret);
    case "scroll":
      return scroll(call.id, call.how);
    case "wait":
      return wait(call.step, call.within, call.gone, call.timeoutMs);
    case "look":
      return look(call.ask, call.words);
    case "look_end":
      endLook();
      return null;
    case "inspect":
      return inspect(must(call.id), call.properties ?? [], call.html);
    case "source_map":
      return sourceMap(call.url, call.map ?? null);
    case "patch":
      return patch(call.number, call.id, call.patch);
    case "patches":
      return patches();
    case "unpatch":
      return unpatch(call.numbers ?? null, call.keep);
    case "storage":
      return storage(call.store, { ...call, value: call.value ?? null });
    case "audit": {
      const { limit, root, rules, tags } = call;
      return audit({ root: root ?? null, rules: rules ?? [], tags: tags ?? [], limit });
    }
    case "abort":
      abortAll();
      return null;
    default:
      return unreachable(call);
  }
}

/** Frames must know their tokens before an answer can be put in its place. */
async function placed(): Promise<void> {
  tellFrames();
  await tokenKnown();
}

function partsOf(root: Element | undefined, format: TextFormat | null): TextPart[] {
  switch (format) {
    case null:
      return pageText(root);
    case "markdown":
      return pageMarkdown(root);
    case "article":
      return pageArticle(root);
    default:
      return unreachable(format);
  }
}

function must(id: number): Element {
  const element = elementOf(id);
  if (!element) throw gone();
  return element;
}

function at(x: number, y: number): unknown {
  const element = deepAt(x, y);
  if (!element) throw new Fault("TARGET_NOT_FOUND", "nothing is at that point");
  return described(actingAround(element));
}

/** Whatever goes wrong is an answer; the words of unknown errors may be the page's. */
async function call(request: PageCall): Promise<Reply> {
  try {
    listen();
    return { ok: wellFormed(await answer(request)) };
  } catch (error) {
    if (error instanceof Fault) return { error: wellFormed(error.wire()) };
    const kind = error instanceof Error ? error.constructor.name : typeof error;
    return { error: { code: "INTERNAL", message: `the page agent failed (${kind})` } };
  }
}

/** Again at each call: `document.open` takes listeners away and leaves the agent. */
function listen(): void {
  listenForToken();
  listenForInput();
}

const aims = { aimAt, aimFocus, aimOf, doesAct, pointAbove, pressPoint };

if (!world().__pillion) {
  world().__pillion = {
    call,
    element: elementOf,
    tokenOf,
    setFiles,
    adopt,
    fillSecret,
    lookForSecret,
    veilSecrets,
    domInput,
    ...aims,
  };
  listen();
}
