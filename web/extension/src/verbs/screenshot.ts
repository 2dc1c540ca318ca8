//! The verb `screenshot`. Background tabs are not brought to the front: while the debugger is
//! attached their frames run.

import type { Picture, Rect, Verb } from "../../../wire/verb";
import { attach, command, refuseWhileDialog, runFrames, using } from "../attachment";
import { getTab } from "../chrome";
import { Fault } from "../fault";
import { CAPTURE_MS, FIRST_CAPTURE_MS, FULL_PAGE_CSS } from "../limits";
import { type Box, neverBoxes } from "../never-boxes";
import { paintedOver } from "../paint";
import { drawn } from "../picture-labels";
import { intersect, pixelsOf, scaleFor, wholePixels } from "../picture-size";
import { placesOf } from "../places";
import { within } from "../wait";
import type { Call } from "./context";
import { veiled } from "./secret";

type Request = Extract<Verb, { verb: "screenshot" }>;

const FORMATS: readonly string[] = ["png", "jpeg", "webp"];

interface Metrics {
  layoutViewport: { clientWidth: number };
  cssLayoutViewport: { clientWidth: number; clientHeight: number };
  cssVisualViewport: { pageX: number; pageY: number; scale: number; zoom?: number };
  cssContentSize: Rect;
}

/** Takes the picture. `hides`: so many frames of never-sites are shown, and painted over. */
export function screenshot(request: Request, call: Call, hides: number): Promise<Picture> {
  const { tab } = request;
  if (!FORMATS.includes(request.format)) {
    throw new Fault("INVALID_ARGUMENT", "the format must be png, jpeg or webp");
  }
  return using(tab, async () => {
    refuseWhileDialog(tab);
    await attach(tab);
    const picture = () => veiled(tab, () => without(request, call.signal, hides));
    const first = await within(picture(), FIRST_CAPTURE_MS, () => null);
    if (first) return first;
    await runFrames(tab);
    return within(picture(), CAPTURE_MS, () => {
      const seconds = (FIRST_CAPTURE_MS + CAPTURE_MS) / 1_000;
      throw new Fault("TIMEOUT", `Chrome gave no picture in ${seconds} s`);
    });
  });
}

/** Takes pictures until the frames that must not be seen lay still for one. */
async function without(request: Request, signal: AbortSignal, hides: number): Promise<Picture> {
  const { tab, format, quality } = request;
  for (let tries = 0; tries < STILL_TRIES; tries += 1) {
    const before = await boxesNow(request, signal, hides);
    const picture = await take(request, signal);
    // One may have come meanwhile, also where there was none.
    const after = await boxesNow(request, signal, await shownNever(tab));
    if (before === null || after === null) break;
    if (JSON.stringify(before) !== JSON.stringify(after)) continue;
    if (before.length === 0) return picture;
    return paintedOver(picture, format, quality ?? null, before);
  }
  throw new Fault(
    "SITE_BLOCKED",
    "a frame of a site that a rule keeps agents off is in the picture, and where is not known for certain",
  );
}

/** Pictures that are tried while such a frame moves. */
const STILL_TRIES = 3;

async function boxesNow(
  { tab, fullPage }: Request,
  signal: AbortSignal,
  hides: number,
): Promise<Box[] | null> {
  if (hides === 0) return [];
  // Beyond the viewport a page is laid out anew for the picture: places before it say nothing.
  if (fullPage) return null;
  const { cssVisualViewport } = (await command(
    tab,
    "Page.getLayoutMetrics",
    {},
    undefined,
    signal,
  )) as unknown as Metrics;
  if (cssVisualViewport.scale !== 1) return null;
  return neverBoxes(tab, hides, signal);
}

async function shownNever(tab: number): Promise<number> {
  const { neverShown } = await placesOf(tab, (await getTab(tab))?.url ?? "");
  return neverShown;
}

async function take(request: Request, signal: AbortSignal): Promise<Picture> {
  const { tab } = request;
  const metrics = (await command(
    tab,
    "Page.getLayoutMetrics",
    {},
    undefined,
    signal,
  )) as unknown as Metrics;
  const area = areaOf(request, metrics);
  // Device pixels for one CSS px.
  const ratio = metrics.layoutViewport.clientWidth / metrics.cssLayoutViewport.clientWidth || 1;
  let scale = scaleFor(area.width, area.height, ratio, request.maxSide, request.scale ?? 1);
  for (let tries = 0; ; tries += 1) {
    const shot = (await command(
      tab,
      "Page.captureScreenshot",
      {
        format: request.format,
        ...(request.quality != null && request.format !== "png" && { quality: request.quality }),
        clip: { ...unzoomed(area, metrics.cssVisualViewport.zoom), scale },
        captureBeyondViewport: request.fullPage,
        optimizeForSpeed: true,
      },
      undefined,
      signal,
    )) as { data?: string };
    let data = shot.data ?? "";
    const size = pixelsOf(data);
    if (!size) throw new Fault("INTERNAL", "Chrome's picture cannot be read");
    const longest = Math.max(size.width, size.height);
    if (longest > request.maxSide && tries === 0) {
      scale *= (request.maxSide - 1) / longest;
      continue;
    }
    const cssPerPixel = area.width / size.width;
    const left = area.x - metrics.cssVisualViewport.pageX;
    const top = area.y - metrics.cssVisualViewport.pageY;
    if (request.labels?.length) data = await drawn(request, data, { left, top, cssPerPixel });
    return { data, width: size.width, height: size.height, cssPerPixel, left, top };
  }
}

/** Chrome takes the part without the tab's zoom, which CSS px have in them. */
function unzoomed({ x, y, width, height }: Rect, zoom = 1): Rect {
  return { x: x * zoom, y: y * zoom, width: width * zoom, height: height * zoom };
}

/** The part to be shown, in CSS px of the whole page. */
function areaOf(request: Request, metrics: Metrics): Rect {
  const { pageX, pageY } = metrics.cssVisualViewport;
  const { clientWidth, clientHeight } = metrics.cssLayoutViewport;
  const shown = { x: pageX, y: pageY, width: clientWidth, height: clientHeight };
  const whole = metrics.cssContentSize;
  const all = request.fullPage ? whole : shown;
  if (!request.clip) {
    const longest = Math.ceil(Math.max(all.width, all.height));
    if (longest > FULL_PAGE_CSS) {
      throw new Fault(
        "RESPONSE_TOO_LARGE",
        `the page is ${longest} CSS px long, and Chrome draws at most ${FULL_PAGE_CSS} at once. Next: browser_screenshot with region and full_page, part by part`,
      );
    }
    return all;
  }
  const clip = { ...request.clip, x: request.clip.x + pageX, y: request.clip.y + pageY };
  const area = intersect(wholePixels(clip), all);
  if (!area) throw new Fault("ELEMENT_HIDDEN", "that part is outside of what is shown");
  return area;
}
