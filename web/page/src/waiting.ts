//! Lets `abort` end every wait and settle that began before it.

let under = new Set<Waiting>();

/** Ends all waits that are under way. */
export function abortAll(): void {
  const ended = under;
  under = new Set();
  for (const waiting of ended) waiting.end();
}

/** One wait; over once `abortAll` was called after its start. */
export class Waiting {
  /** Nobody waits for the answer any more. */
  isOver = false;
  private wake: (() => void) | null = null;
  private poked = false;

  constructor() {
    under.add(this);
  }

  /** The wait has its answer. */
  done(): void {
    under.delete(this);
  }

  /** Called by `abortAll`. */
  end(): void {
    this.isOver = true;
    this.poke();
  }

  /** Ends a `sleep` early, also the next one. */
  poke(): void {
    this.poked = true;
    this.wake?.();
  }

  /** Until `poke`, or for so many milliseconds. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake?.(), ms);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        this.poked = false;
        resolve();
      };
      if (this.poked || this.isOver) this.wake();
    });
  }
}
