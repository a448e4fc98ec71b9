/** The middle of some numbers. */
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
 * The rounds of one adapter in one case as one: medians, and `[least, most]` of what is timed; CPU time
 * also round by round, since ratios are between what the same round gave.
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
 * How many times the CPU time of one summary that of another is: the median over the rounds, so that a
 * round in which the machine was slow counts for both.
 */
export function timesOf(one, other) {
  if (!one?.cpuUs || !other?.cpuUs) return undefined;
  const [own, others] = [one.cpuUsByRound, other.cpuUsByRound];
  if (own === undefined || own.length !== others?.length) return one.cpuUs / other.cpuUs;
  return median(own.map((cpuUs, round) => cpuUs / others[round]));
}

const RANGED = new Set(['cpuUs', 'wallUs', 'importMs', 'onTopMs']);
