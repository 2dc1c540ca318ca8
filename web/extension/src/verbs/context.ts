//! What every verb gets beside its own fields.

/** One request. */
export interface Call {
  /** Aborted when it is cancelled or its time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds that the daemon will wait from now. */
  readonly remaining: () => number;
}
