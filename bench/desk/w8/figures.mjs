import { median } from '../../harness/summary.mjs';
import { CONTESTANTS } from './contestants/registry.mjs';

/** Returns the figures of one case: per contestant its medians, and its ratios to LIMIT and to the best peer. */
export function figuresOf({ samples }) {
  const measured = Object.keys(samples).filter((name) => failureOf(samples[name]) === undefined);
  const peers = measured.filter((name) => CONTESTANTS[name].kind === 'peer');
  return Object.fromEntries(
    Object.entries(samples).map(([name, all]) => {
      const failure = failureOf(all);
      if (failure !== undefined) return [name, { failure }];
      const limit = samples[CONTESTANTS[name].limit];
      const worker = samples[CONTESTANTS[name].worker];
      const others = peers.map((peer) => samples[peer]);
      const ratios = {
        wallToLimit: ratiosOf(all, limit && [limit], 'wallMs'),
        cpuToLimit: ratiosOf(all, limit && [limit], 'cpuMs'),
        wallToPeer: ratiosOf(all, others, 'wallMs'),
        wallToWorker: ratiosOf(all, worker && [worker], 'wallMs'),
        cpuToPeer: ratiosOf(all, others, 'cpuMs'),
      };
      const medians = Object.entries(ratios).map(([field, values]) => [
        field,
        values && median(values),
      ]);
      return [name, { ...mediansOf(all), ...Object.fromEntries(medians), ratios }];
    }),
  );
}

/** Returns why a contestant has no figures; `undefined` if it has. */
export function failureOf(samples) {
  if (samples.length === 0) return 'not measured';
  const failed = samples.find(({ error, timeout }) => error ?? timeout);
  return failed && (failed.error ?? `no result within ${failed.timeout} s`);
}

function mediansOf(samples) {
  const names = ['parkMs', 'decisionMs', 'resumeMs', 'wallMs', 'clientMs', 'serverMs', 'cpuMs'];
  return Object.fromEntries(
    names.map((name) => [name, median(samples.map((sample) => sample[name]))]),
  );
}

/** Returns a figure of each round, divided by the smallest of the others in the same round. */
function ratiosOf(samples, others = [], field) {
  if (others.length === 0 || others.some((other) => failureOf(other) !== undefined))
    return undefined;
  return samples.map((sample, round) => {
    return sample[field] / Math.min(...others.map((other) => other[round][field]));
  });
}
