import { namesOf } from './contestants/registry.mjs';

/** The maximum ratio of the time of the desk to that of LIMIT. */
const MAX_TO_LIMIT = 4;

/** The maximum ratio of the time of a desk with an engine to that of the built-in worker. */
const MAX_TO_WORKER = 1.3;

const RULES = [
  { field: 'wallToLimit', what: 'wall time to LIMIT', max: MAX_TO_LIMIT },
  { field: 'cpuToLimit', what: 'CPU time to LIMIT', max: MAX_TO_LIMIT },
  { field: 'wallToPeer', what: 'wall time to the best peer', max: 1 },
  { field: 'cpuToPeer', what: 'CPU time to the best peer', max: 1 },
];

const ENGINE_RULES = [
  { field: 'wallToWorker', what: 'wall time to the built-in worker', max: MAX_TO_WORKER },
];

/** Returns the goals of one case, and if each is met. A desk without figures misses its goals. */
export function goalsOf({ delayMs, concurrency }, figures) {
  const rules = [
    ...namesOf('desk').map((name) => [name, RULES]),
    ...namesOf('engine').map((name) => [name, ENGINE_RULES]),
  ];
  const present = rules.filter(([name]) => figures[name] !== undefined);
  return present.flatMap(([name, all]) =>
    all
      .filter(({ field }) => figures[name].failure || figures[name][field] !== undefined)
      .map(({ field, what, max }) => {
        const measured = figures[name][field];
        const rounds = figures[name].ratios?.[field] ?? [];
        const isMet = measured <= max;
        return { name, delayMs, concurrency, what, max, measured, rounds, isMet };
      }),
  );
}
