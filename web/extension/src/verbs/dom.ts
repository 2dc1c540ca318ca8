//! A batch of input without the debugger: each part goes to the document that it would reach, whose page
//! agent makes DOM events of it. For profiles in which the user keeps the debugger off, and for pages where
//! Chrome refuses it.

import type { JsonValue } from "../../../wire/serde_json/JsonValue";
import type { CdpCommand } from "../../../wire/verb";
import { type Field, type Spot, targetAt } from "../aim";
import { getTab, scripting } from "../chrome";
import { Fault } from "../fault";
import { paramOf } from "../levels";
import { COMMAND_MS } from "../limits";
import { placesOf } from "../places";
import { until, within } from "../wait";
import type { Call } from "./context";
import { inject, tokensOf } from "./page";

const INPUT: readonly string[] = [
  "Input.dispatchMouseEvent",
  "Input.dispatchKeyEvent",
  "Input.insertText",
];
/** What needs no doing where there is no debugger. */
const NOTHING: readonly string[] = [
  "Input.setInterceptDrags",
  "Emulation.setFocusEmulationEnabled",
];

/** Whether a batch can be done so. */
export function isDomBatch(commands: readonly CdpCommand[]): boolean {
  return commands.every(
    ({ method, session }) => !session && (INPUT.includes(method) || NOTHING.includes(method)),
  );
}

/** Does it; one empty result a command. */
export async function domBatch(
  tab: number,
  commands: readonly CdpCommand[],
  call: Call,
): Promise<JsonValue[]> {
  const input = commands.filter(({ method }) => INPUT.includes(method));
  for (const group of grouped(input)) await send(tab, group, call);
  return commands.map(() => ({}));
}

interface Group {
  readonly point: Spot;
  readonly commands: CdpCommand[];
}

/** Neighbours that go to one place. Pure. */
export function grouped(commands: readonly CdpCommand[]): Group[] {
  const out: Group[] = [];
  for (const command of commands) {
    const point = pointOf(command);
    const last = out.at(-1);
    if (last && last.point?.x === point?.x && last.point?.y === point?.y) {
      last.commands.push(command);
    } else out.push({ point, commands: [command] });
  }
  return out;
}

function pointOf(command: CdpCommand): Spot {
  const [x, y] = [paramOf(command, "x"), paramOf(command, "y")];
  return typeof x === "number" && typeof y === "number" ? { x, y } : null;
}

async function send(tab: number, { point, commands }: Group, call: Call): Promise<void> {
  const places = await placesOf(tab, (await getTab(tab))?.url ?? "");
  const { signal } = call;
  const tokens = () => tokensOf(tab, places.never, call);
  const field: Field = { tab, places, inject, tokens, signal };
  const { place, at } = await targetAt(field, point);
  const list = commands.map(({ method, params }) => ({
    method,
    params: { ...(params as object), ...at },
  }));
  const run = scripting.executeScript({
    target: { tabId: tab, documentIds: [place.document] },
    func: inputHere,
    args: [list],
    injectImmediately: true,
  });
  const done = run.then(
    ([result]) => result?.result ?? null,
    // The page that was pressed is gone: that is what pressing does.
    () => list.length,
  );
  const count = await until(
    within(done, COMMAND_MS, () => {
      throw new Fault(
        "TAB_WEDGED",
        "the input was sent, and the page does not answer: it may show a dialog, which only the user can close where the debugger is off",
      );
    }),
    signal,
  );
  if (count !== list.length) throw new Fault("INPUT_BLOCKED", "the page took no input there");
}

/** Runs in the page's isolated world. */
function inputHere(commands: unknown): number {
  const world = globalThis as { __pillion?: { domInput(commands: unknown): number } };
  return world.__pillion?.domInput(commands) ?? 0;
}
