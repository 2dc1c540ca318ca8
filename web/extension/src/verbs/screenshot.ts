// The verb `screenshot`. Background tabs are not brought to the front: a tiny screencast makes
// their frames run while the picture is taken.

import type { Picture, Rect, Verb } from "../../../wire/verb";
import { attach, command, refuseWhileDialog, using } from "../attachment";
import { getTab, sendCommand, windows } from "../chrome";
import { Fault } from "../fault";
import { CAPTURE_MS, FULL_PAGE_CSS } from "../limits";
import { intersect, pixelsOf, scaleFor } from "../picture-size";
import { within } from "../wait";
import type { Call } from "./context";

type Request = Extract<Verb, { verb: "screenshot" }>;

const FORMATS: readonly string[] = ["png", "jpeg", "webp"];
const CAST = { format: "jpeg", quality: 1, maxWidth: 16, maxHeight: 16 };

interface Metrics {
  layoutViewport: { clientWidth: number };
  cssLayoutViewport: { clientWidth: number; clientHeight: number };
  cssVisualViewport: { pageX: number; pageY: number };
  cssContentSize: Rect;
}

/** Takes the picture. */
export function screenshot(request: Request, call: Call): Promise<Picture> {
  const { tab } = request;
  if (!FORMATS.includes(request.format)) {
    throw new Fault("INVALID_ARGUMENT", "the format must be png, jpeg or webp");
  }
  return using(tab, async () => {
    refuseWhileDialog(tab);
    await attach(tab);
    const cast = !(await isInFront(tab));
    if (cast) await command(tab, "Page.startScreencast", CAST, undefined, call.signal);
    try {
      return await within(take(request, call.signal), CAPTURE_MS, () => {
        throw new Fault("TIMEOUT", `Chrome gave no picture within ${CAPTURE_MS} ms`);
      });
    } finally {
      // The tab may be gone; nothing is left to stop then.
      if (cast) void sendCommand(tab, "Page.stopScreencast").catch(() => undefined);
    }
  });
}

async function isInFront(tab: number): Promise<boolean> {
  const now = await getTab(tab);
  if (!now?.active) return false;
  const window = await windows.get(now.windowId);
  return window.state !== "minimized";
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
  let scale = scaleFor(area.width, area.height, ratio, request.maxSide);
  for (let tries = 0; ; tries += 1) {
    const shot = (await command(
      tab,
      "Page.captureScreenshot",
      {
        format: request.format,
        ...(request.quality != null && request.format !== "png" && { quality: request.quality }),
        clip: { ...area, scale },
        captureBeyondViewport: request.fullPage,
        optimizeForSpeed: true,
      },
      undefined,
      signal,
    )) as { data?: string };
    const data = shot.data ?? "";
    const size = pixelsOf(data);
    if (!size) throw new Fault("INTERNAL", "Chrome's picture cannot be read");
    const longest = Math.max(size.width, size.height);
    if (longest > request.maxSide && tries === 0) {
      scale *= (request.maxSide - 1) / longest;
      continue;
    }
    return {
      data,
      width: size.width,
      height: size.height,
      cssPerPixel: area.width / size.width,
      left: area.x - metrics.cssVisualViewport.pageX,
      top: area.y - metrics.cssVisualViewport.pageY,
    };
  }
}

/** The part to be shown, in CSS px of the whole page. */
function areaOf(request: Request, metrics: Metrics): Rect {
  const { pageX, pageY } = metrics.cssVisualViewport;
  const { clientWidth, clientHeight } = metrics.cssLayoutViewport;
  const shown = { x: pageX, y: pageY, width: clientWidth, height: clientHeight };
  const whole = {
    ...metrics.cssContentSize,
    height: Math.min(metrics.cssContentSize.height, FULL_PAGE_CSS),
  };
  const all = request.fullPage ? whole : shown;
  if (!request.clip) return all;
  const clip = { ...request.clip, x: request.clip.x + pageX, y: request.clip.y + pageY };
  const area = intersect(clip, all);
  if (!area) throw new Fault("ELEMENT_HIDDEN", "that part is outside of what is shown");
  return area;
}
