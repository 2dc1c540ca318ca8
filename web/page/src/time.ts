//! Waiting for frames, also where none are drawn. Never uses a timer in a hidden document: Chrome
//! makes those a second long.

/** Time that stands for a frame where frames do not run, milliseconds. */
export const FRAME_CLOCK_MS = 40;

/** Resolves in a later task, at once. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}

/** Resolves after so many milliseconds. */
export async function pause(ms: number): Promise<void> {
  if (!document.hidden) {
    await new Promise<void>((resolve) => setTimeout(resolve, ms));
    return;
  }
  const until = performance.now() + ms;
  while (performance.now() < until) await nextTask();
}

/** Resolves when a frame is really drawn, at most after so many milliseconds. */
export function drawnFrame(mostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const frame = requestAnimationFrame(done);
    void pause(mostMs).then(done);
    function done(): void {
      cancelAnimationFrame(frame);
      resolve();
    }
  });
}

/** Resolves at the next animation frame, or when the time of one is over. */
export function nextFrame(): Promise<void> {
  if (document.hidden) return pause(FRAME_CLOCK_MS);
  return new Promise((resolve) => {
    const timer = setTimeout(done, FRAME_CLOCK_MS);
    const frame = requestAnimationFrame(done);
    function done(): void {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      resolve();
    }
  });
}
