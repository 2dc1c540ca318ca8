//! Gives files to a field or a drop zone. The extension calls it with the content; nothing is read
//! from anywhere.

import { getBoundingClientRect } from "./dom.ts";
import { Fault, gone } from "./fault.ts";
import { fieldOf } from "./field.ts";
import { tellChange, tellInput } from "./fill-native.ts";
import { elementOf, idOf } from "./registry.ts";
import { described } from "./target.ts";

/** One file, its content in base64. */
export type UploadFile = { name: string; mime: string; data: string };

// A file input that a page makes on the fly is never in the document: the debugger hands it over.
const adopted = new Map<number, Element>();

/** The number of an element that is in no document, so that `setFiles` finds it. */
export function adopt(element: Element): number {
  adopted.clear();
  const id = idOf(element);
  adopted.set(id, element);
  return id;
}

/** Sets the files of a file input, or drops them on the element. */
export async function setFiles(id: number, files: UploadFile[]): Promise<void> {
  const element = adopted.get(id) ?? elementOf(id);
  if (!element) throw gone();
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(fileOf(file));
  const field = fieldOf(element);
  if (field instanceof HTMLInputElement && field.type === "file") {
    field.files = transfer.files;
    tellInput(field);
    tellChange(field);
    return;
  }
  drop(element, transfer);
}

function fileOf(file: UploadFile): File {
  const bytes = Uint8Array.from(atob(file.data), (character) => character.charCodeAt(0));
  return new File([bytes], file.name, { type: file.mime });
}

/** As a browser drops: only where the page says by `preventDefault` that it takes it. */
function drop(element: Element, dataTransfer: DataTransfer): void {
  const box = getBoundingClientRect(element);
  const at = {
    bubbles: true,
    cancelable: true,
    composed: true,
    clientX: box.left + box.width / 2,
    clientY: box.top + box.height / 2,
    dataTransfer,
  };
  const refused = ["dragenter", "dragover", "drop"].map((type) =>
    element.dispatchEvent(new DragEvent(type, at)),
  );
  if (refused.every((one) => one)) {
    throw new Fault("VALUE_NOT_SET", "it takes no files", described(element));
  }
}
