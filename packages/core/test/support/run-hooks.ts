import type { Capability } from 'holdpoint';
import type { RunEnd } from 'holdpoint/agents';

/** The end of a run that a hook ended. */
export const done: RunEnd = { kind: 'finished', output: 'Instead.' };

/** The error of the model of a failing run. */
export const broken = new Error('The model is away.');

/** Creates a capability that logs the start and the end of a run. */
export function noting(log: string[], name = 'hook'): Capability {
  return {
    name,
    async wrapRun(next) {
      log.push(`${name} in`);
      try {
        const end = await next();
        log.push(`${name} ${end.kind}`);
        return end;
      } catch (error) {
        log.push(`${name} failed: ${(error as Error).message}`);
        throw error;
      }
    },
  };
}
