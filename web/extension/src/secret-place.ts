//! Where a secret would go: the sites that would see it and the field, as the browser and the page agent
//! tell them, and what of that the user has not allowed yet.

import type { PageError, Element as WireElement } from "../../wire/page";
import type { Verb } from "../../wire/verb";
import { ask, type Field, type Target } from "./aim";
import { getFrames } from "./chrome";
import { Fault } from "./fault";
import { type SecretFrame, siteOf, siteRefusal } from "./secret-guard";
import { notAllowed } from "./secret-leave";
import { refuseTainted } from "./secret-store";

type Request = Extract<Verb, { verb: "fill_secret" }>;

/** A place for a secret. */
export interface SecretPlace {
  readonly target: Target;
  /** The field's own site first, then those of the pages around it and of its form. */
  readonly sites: readonly string[];
  /** It is neither a password nor a one-time-code field. */
  readonly odd: boolean;
  /** What the user has to allow first: names of leaves. */
  readonly keeps: readonly string[];
}

/** What the page agent's `lookForSecret` gives. */
type Look =
  | {
      readonly element: WireElement;
      readonly form: string | null;
      readonly targets: readonly string[];
      readonly takes: boolean;
    }
  | { readonly error: PageError };

/** Looks at the place; throws where nobody could allow it. */
export async function lookAtSecret(field: Field, request: Request): Promise<SecretPlace> {
  const { tab, document, element, name, origins } = request;
  const frames = (await getFrames(tab)) as readonly SecretFrame[];
  const refused = siteRefusal(request, frames);
  if (refused) throw new Fault(refused.code, refused.message);
  const place = field.places.all.find((one) => one.document === document);
  const look = place && ((await ask(field, place, "lookForSecret", [element])) as Look | null);
  if (!place || !look) throw new Fault("REF_GONE", "the document is gone");
  if ("error" in look) throw new Fault(look.error.code, look.error.message);
  const astray = look.targets.find((site) => !origins.includes(site));
  if (astray !== undefined) {
    const where = astray === "" ? "a place that is no site" : astray;
    throw new Fault(
      "SECRET_WRONG_ORIGIN",
      `the field's form sends to ${where}, to which the secret is not bound`,
    );
  }
  await refuseTainted(tab, document);
  const sites = [...new Set([...around(frames, document), ...look.targets])];
  const { role, name: called } = look.element;
  const fresh = { url: place.url, role, name: called, form: look.form };
  const keeps = notAllowed(name, sites, look.takes ? null : fresh);
  const target = { place, element: look.element, form: look.form };
  return { target, sites, odd: !look.takes, keeps };
}

/** The sites of a frame and of all around it. */
function around(frames: readonly SecretFrame[], document: string): string[] {
  const sites: string[] = [];
  let frame = frames.find((one) => one.documentId === document);
  for (let climbed = 0; frame && climbed <= frames.length; climbed += 1) {
    const { parentFrameId, url }: SecretFrame = frame;
    sites.push(siteOf(url));
    frame = frames.find((one) => one.frameId === parentFrameId);
  }
  return sites;
}
