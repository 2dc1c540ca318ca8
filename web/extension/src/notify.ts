//! One word on the desktop when the user is asked and no page of ours is open. It only says to open
//! Pillion: whatever an agent says is for our own pages, behind the user's sign.

import { asks } from "./asks-store";
import { action, notifications, permissions, runtime, sidePanel, windows } from "./chrome";
import { settings } from "./settings";
import { strings } from "./strings";

const NAME = "asks";

/** A prompt came. */
export async function notify(isLookedAt: boolean): Promise<void> {
  if (isLookedAt || !settings.value.notify) return;
  await notifications()?.create(NAME, {
    type: "basic",
    iconUrl: runtime.getURL("icons/128.png"),
    title: strings.name,
    message: strings.notification,
  });
}

/** Takes the word back once nothing is asked any more. */
export async function unnotify(): Promise<void> {
  if (asks().open.length === 0) await notifications()?.clear(NAME);
}

/** Hears clicks, from now on or from when the user allows notifications. */
export function hearClicks(): void {
  const hear = () => notifications()?.onClicked.addListener(clicked);
  hear();
  permissions.onAdded.addListener(hear);
}

function clicked(): void {
  void open().catch((error) => console.warn("pillion: notification", error));
}

async function open(): Promise<void> {
  await notifications()?.clear(NAME);
  try {
    await action.openPopup();
  } catch {
    // No window has focus, or this Chrome opens no popup by itself.
    const { id } = await windows.getLastFocused({ windowTypes: ["normal"] });
    if (id === undefined) return;
    await windows.update(id, { focused: true });
    await action.openPopup().catch(() => sidePanel.open({ windowId: id }));
  }
}
