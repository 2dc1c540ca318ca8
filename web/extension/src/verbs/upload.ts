//! The verb `upload`: files as bytes, made into `File` objects by the page agent. Never a path: the
//! extension reads no file.

import type { PageError } from "../../../wire/page";
import type { FileData } from "../../../wire/verb";
import { refuseWhileDialog } from "../attachment";
import { scripting } from "../chrome";
import { Fault } from "../fault";
import { until } from "../wait";
import type { Call } from "./context";
import { inject } from "./page";

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
