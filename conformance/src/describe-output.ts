import { DeferredToolRequests } from 'holdpoint';
import { describeRequests } from './describe-deferred.ts';
import type { Described } from './describe.ts';
import { Produced } from './schemas.ts';

/** Describes the output of a run. */
export function describeOutput(output: unknown): Described {
  if (typeof output === 'string') return { kind: 'text', value: output };
  if (output === undefined || output === null) {
    return { kind: 'structured', value: null, type: 'NoneType' };
  }
  if (output instanceof Produced) {
    return { kind: 'structured', value: output.value, type: output.type };
  }
  return output instanceof DeferredToolRequests
    ? { kind: 'deferred', ...describeRequests(output) }
    : { kind: 'unknown', value: output };
}
