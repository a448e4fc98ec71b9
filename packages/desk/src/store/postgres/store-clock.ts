/** The time of the database, as far as a process knows it. */
export interface StoreClock {
  /** Records a time that the database sent just now. */
  set(time: number): void;
  /** The time of the database: never later than it is there. It is `undefined` before the first statement. */
  readonly now: number | undefined;
}

/** The largest difference in speed between the clocks of this process and of the database. */
const MAX_SKEW = 0.001;

/** Returns a clock that continues the last time that the database sent. */
export function estimatedClock(): StoreClock {
  let sent: { readonly time: number; readonly at: number } | undefined;
  return {
    set(time) {
      sent = { time, at: performance.now() };
    },
    get now() {
      if (sent === undefined) return undefined;
      return Math.floor(sent.time + (performance.now() - sent.at) * (1 - MAX_SKEW));
    },
  };
}
