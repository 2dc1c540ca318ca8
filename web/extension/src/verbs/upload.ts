//! The verb `upload`: files as bytes, made into `File` objects by the page agent. Never a path: the
//! extension reads no file.

import type { PageError } from "../../../wire/page";
import type { FileData } from "../../../wire/verb";
import { attach, attachment, command, refuseWhileDialog, using } from "../attachment";
import { scripting } from "../chrome";
import { Fault } from "../fault";
import { until } from "../wait";
import type { Call } from "./context";
import { inject } from "./page";
import { inWorldOf } from "./place";

/** Gives the files to an element. */
export async function upload(
  tab: number,
  document: string,
  element: number,
  files: readonly FileData[],
  call: Call,
): Promise<null> {
  refuseWhileDialog(tab);
  await inject(tab, document).catch(() => {
    throw new Fault("REF_GONE", "the document is gone");
  });
  const run = scripting.executeScript({
    target: { tabId: tab, documentIds: [document] },
    func: giveFiles,
    args: [element, files],
    injectImmediately: true,
  });
  const [result] = await until(run, call.signal);
  const outcome = result?.result as { error?: PageError } | null | undefined;
  if (outcome?.error) throw new Fault(outcome.error.code, outcome.error.message);
  return null;
}

/** Catches file choosers of the tab and its child frames, or shows them again. */
export async function catchChooser(tab: number, on: boolean, call: Call): Promise<null> {
  return using(tab, async () => {
    await attach(tab);
    const sessions = [undefined, ...Object.keys(attachment(tab)?.sessions ?? {})];
    await Promise.all(
      sessions.map((session) =>
        command(tab, "Page.setInterceptFileChooserDialog", { enabled: on }, session, call.signal),
      ),
    );
    return null;
  });
}

/** Takes the input of a caught chooser under a number. */
export async function adopt(
  tab: number,
  document: string,
  node: number,
  call: Call,
): Promise<number> {
  return using(tab, async () => {
    await inject(tab, document);
    return inWorldOf(tab, document, call.signal, async ({ session, ours }) => {
      const resolved = await command(
        tab,
        "DOM.resolveNode",
        { backendNodeId: node, executionContextId: ours },
        session,
        call.signal,
      );
      const objectId = (resolved.object as { objectId?: string } | undefined)?.objectId;
      if (objectId === undefined) throw new Fault("REF_GONE", "the file input is gone");
      const adopted = await command(
        tab,
        "Runtime.callFunctionOn",
        {
          objectId,
          functionDeclaration: "function () { return globalThis.__pillion.adopt(this); }",
          returnByValue: true,
        },
        session,
        call.signal,
      );
      const id = (adopted.result as { value?: unknown } | undefined)?.value;
      if (typeof id !== "number") throw new Fault("INTERNAL", "the page agent took no input");
      return id;
    });
  });
}

/** Runs in the page's isolated world. */
async function giveFiles(element: number, files: readonly FileData[]): Promise<unknown> {
  const world = globalThis as {
    __pillion?: { setFiles?(id: number, files: readonly FileData[]): unknown };
  };
  if (!world.__pillion?.setFiles) {
    return { error: { code: "INTERNAL", message: "the page agent takes no files" } };
  }
  try {
    return (await world.__pillion.setFiles(element, files)) ?? null;
  } catch (failure) {
    const { wire } = failure as { wire?: () => unknown };
    const unknown = { code: "INTERNAL", message: "the page agent failed" };
    return { error: wire ? wire.call(failure) : unknown };
  }
}
