import { WORKLOADS } from '../workloads/workloads.mjs';

/** The names of all workloads. */
export const WORKLOAD_NAMES = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'];

/**
 * Returns the cases of a workload. `args(adapter)` returns the arguments of the process that
 * measures a case. `rounds(wanted)` returns the number of rounds.
 */
export function casesOf(workload, { budget, parked }) {
  if (workload === 'w5') {
    return ['string', 'live'].map((form) => ({
      workload,
      key: form,
      // Memory hardly differs between rounds, and some adapters park slowly.
      rounds: (wanted) => Math.min(wanted, 2),
      args: (adapter) => [
        '--expose-gc',
        ...measure(adapter, workload, { runs: parked, form }, budget),
      ],
    }));
  }
  if (workload === 'w6') {
    // An import is short and its time varies, so it is measured twice per round.
    const rounds = (wanted) => wanted * 2;
    const args = (adapter) => ['harness/import-time.mjs', adapter];
    return [{ workload, key: 'import', rounds, args }];
  }
  const { parameters, key } = WORKLOADS[workload];
  return parameters.map((given) => ({
    workload,
    key: key(given),
    rounds: (wanted) => wanted,
    args: (adapter) => measure(adapter, workload, given, budget),
  }));
}

function measure(adapter, workload, parameters, budget) {
  return ['harness/measure.mjs', adapter, workload, JSON.stringify(parameters), String(budget)];
}
