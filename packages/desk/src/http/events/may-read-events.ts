import type { Desk } from '../../desk/desk.ts';
import type { Access } from '../access.ts';
import type { MayReadEvent } from './event-gate.ts';

/** The maximum number of cached results, so that many events of one run need one query. */
const MAX_KNOWN = 1_000;

/**
 * Returns a function that selects the events of runs that the caller may read. A result is valid until the
 * stream ends, which `events.maxStreamMs` limits.
 */
export function mayReadEvents(desk: Desk, access: Access): MayReadEvent {
  const known = new Map<string, Promise<boolean>>();
  return ({ runId }) => {
    const found = known.get(runId);
    if (found !== undefined) return found;
    const [oldest = ''] = known.keys();
    if (known.size >= MAX_KNOWN) known.delete(oldest);
    const result = mayReadRun(desk, access, runId);
    known.set(runId, result);
    return result;
  };
}

async function mayReadRun(desk: Desk, access: Access, runId: string): Promise<boolean> {
  return access.may('read', { kind: 'run', run: await desk.run(runId) });
}
