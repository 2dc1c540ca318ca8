//! Listening on window in capture, before the page when it is early enough.

/** Adds (or removes) a listener for each of these types, parted by spaces. Harmless when repeated. */
export function listen(
  types: string,
  see: (event: Event) => void,
  passive: boolean,
  to = addEventListener,
): void {
  for (const type of types.split(" ")) to(type, see, { capture: true, passive });
}
