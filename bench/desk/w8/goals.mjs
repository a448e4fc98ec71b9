import { namesOf } from './contestants/registry.mjs';

/** The desk may take at most so many times the time of LIMIT. */
const MAX_TO_LIMIT = 4;

const RULES = [
  { field: 'wallToLimit', what: 'wall time to LIMIT', max: MAX_TO_LIMIT },
  { field: 'cpuToLimit', what: 'CPU time to LIMIT', max: MAX_TO_LIMIT },
  { field: 'wallToPeer', what: 'wall time to the best peer', max: 1 },
  { field: 'cpuToPeer', what: 'CPU time to the best peer', max: 1 },
];

/** Returns the goals of one case, and if each is met. A desk without figures misses its goals. */
export function goalsOf({ delayMs, concurrency }, figures) {
  const desks = namesOf('desk').filter((name) => figures[name] !== undefined);
  return desks.flatMap((name) =>
    RULES.filter(({ field }) => figures[name].failure || figures[name][field] !== undefined).map(
      ({ field, what, max }) => {
        const measured = figures[name][field];
        const rounds = figures[name].ratios?.[field] ?? [];
        const isMet = measured <= max;
        return { name, delayMs, concurrency, what, max, measured, rounds, isMet };
      },
    ),
  );
}
