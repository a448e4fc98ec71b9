/**
 * The replays are this much slower than the recordings. Scenarios order calls by times of a few milliseconds, which a
 * busy machine would not keep apart.
 */
export const SLOWDOWN = 10;
