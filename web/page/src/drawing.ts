//! Keeps frames coming while input is on its way. Chrome hands a pointer's moves to the page with its
//! next frame, and an idle background tab draws one only once a second.

// Longer than it takes from `prepare` to the input's arrival; `changes` ends it earlier.
const MOST_MS = 1_500;

let until = 0;
let running = false;

/** Draws on until `restDrawing`, or for a moment. */
export function keepDrawing(): void {
  until = performance.now() + MOST_MS;
  if (running) return;
  running = true;
  requestAnimationFrame(draw);
}

/** The input arrived. */
export function restDrawing(): void {
  until = 0;
}

function draw(): void {
  running = performance.now() < until;
  if (running) requestAnimationFrame(draw);
}
