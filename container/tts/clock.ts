/** The two clocks of the container, injected so that tests need not wait: wall time only for stamps, else the steady one. */

export interface Clock {
  /** Milliseconds since some fixed moment, never set back: for durations. */
  readonly steadyMs: () => number;
  /** Milliseconds since 1970: for log lines and for `request_timestamp`. */
  readonly wallMs: () => number;
}

export const SYSTEM_CLOCK: Clock = { steadyMs: () => performance.now(), wallMs: () => Date.now() };
