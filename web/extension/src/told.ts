//! Which events of a tab agents may be told of: nothing of a never-site, and no word of its frames.
//! Pure but for the rules that are handed in.

import type { Event } from "../../wire/verb";

type Json = Record<string, unknown>;

/**
 * The event as it may be told; null when it may not. `isNever` judges addresses, `session` gives the
 * address of a child session.
 */
export function told(
  event: Event,
  top: string,
  isNever: (url: string) => boolean,
  session: (id: string) => string,
): Event | null {
  switch (event.event) {
    case "navigation":
    case "status":
    case "download":
      return isNever(event.url) ? null : event;
    case "body":
      return isNever(top) ? null : event;
    case "requests": {
      const steps = event.told.steps.filter(
        ({ url, initiator }) => !isNever(url) && !isNever(initiator ?? ""),
      );
      return { ...event, told: { ...event.told, steps } };
    }
    case "cdp":
      if (isNever(top)) return null;
      if (event.session && isNever(session(event.session))) return null;
      return debuggerEvent(event, isNever);
    default:
      return event;
  }
}

function debuggerEvent(
  event: Extract<Event, { event: "cdp" }>,
  isNever: (url: string) => boolean,
): Event | null {
  const params = record(event.params);
  const urls = [
    record(params.request).url,
    record(params.response).url,
    record(params.redirectResponse).url,
    record(params.entry).url,
    record(params.targetInfo).url,
    record(params.exceptionDetails).url,
    params.url,
  ];
  if (!urls.some((url) => typeof url === "string" && isNever(url))) return event;
  // A dialog stands in the way of everything: that it is there is told, its words are not.
  if (event.method !== "Page.javascriptDialogOpening") return null;
  return { ...event, params: { type: String(params.type ?? "alert"), message: "", url: "" } };
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
