/**
 * The factor by which replays are slower than recordings. Scenarios order calls by delays of a few
 * milliseconds, which are too short on a busy machine.
 */
export const SLOWDOWN = 10;
