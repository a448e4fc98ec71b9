/** Returns the median of `numbers`. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Returns true if a measurement has no figures. */
export function isFailure(sample) {
  return Boolean(sample.error || sample.timeout || sample.unsupported);
}

/**
 * Combines the rounds of one adapter in one case: medians, and `[least, most]` of durations. CPU
 * time is also kept per round, because ratios compare values of the same round.
 */
export function summarize(samples) {
  const failure = samples.find(isFailure);
  if (failure) return failure;
  const summary = { rounds: samples.length };
  for (const [name, first] of Object.entries(samples[0])) {
    const values = samples.map((sample) => sample[name]);
    summary[name] = typeof first === 'number' ? median(values) : first;
    if (name === 'cpuUs') summary.cpuUsByRound = values;
    if (RANGED.has(name)) summary[`${name}Range`] = [Math.min(...values), Math.max(...values)];
  }
  return summary;
}

/**
 * Returns the ratio of the CPU times of two summaries. It is the median of the ratios per round, so
 * that a slow round affects both.
 */
export function cpuRatio(one, other) {
  if (!one?.cpuUs || !other?.cpuUs) return undefined;
  const [own, others] = [one.cpuUsByRound, other.cpuUsByRound];
  if (own === undefined || own.length !== others?.length) return one.cpuUs / other.cpuUs;
  return median(own.map((cpuUs, round) => cpuUs / others[round]));
}

const RANGED = new Set(['cpuUs', 'wallUs', 'importMs', 'onTopMs']);
