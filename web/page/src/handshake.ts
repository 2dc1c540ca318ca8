//! How a frame of another site learns its token: the parent's agent posts it, this takes it before
//! the page can. Shared by the keeper (first on window) and the agent (when no keeper is there).
//! Never answers a message that the parent frame did not send.

/** What the parent's agent posts into a frame; the transferred port takes the acknowledgement. */
export type TokenMessage = { __pillion: string };

/** The token that this document was told, and how to hear of it. */
export type TokenBox = { token: string | null };

/** The child has its token. */
export const HEARD = 1;
/** The child drew two frames since it was asked. */
export const DRAWN = 2;

const TOKEN = /^[0-9a-f]{32}$/;

function tokenIn(data: unknown): string | null {
  // A message is a copy: reading from it runs nothing.
  const token = (data as Partial<TokenMessage> | null)?.__pillion;
  return typeof token === "string" && TOKEN.test(token) ? token : null;
}

/** Makes the window listener that puts the parent's token into `box`. */
export function tokenListener(box: TokenBox): (event: MessageEvent) => void {
  return (event) => {
    const token = tokenIn(event.data);
    if (token === null) return;
    // The message is ours in form: the page has no use for it, whoever sent it.
    event.stopImmediatePropagation();
    if (!event.isTrusted || event.source !== parent || parent === window) return;
    box.token = token;
    const port = event.ports[0];
    if (!port) return;
    port.postMessage(HEARD);
    // The parent asks later whether this document is being drawn, before it sends input through.
    port.onmessage = () => {
      requestAnimationFrame(() => requestAnimationFrame(() => port.postMessage(DRAWN)));
    };
  };
}
