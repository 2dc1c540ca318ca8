//! Waits with an end. Pure.

/** The promise's value, or what `late` gives when it takes longer. */
export function within<T, L>(promise: Promise<T>, ms: number, late: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The promise's value, or the signal's reason when that comes first. */
export function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** A pause. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
