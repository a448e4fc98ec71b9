import type { Desk } from '../../desk/desk.ts';
import type { Access } from '../access.ts';
import type { MayReadEvent } from './event-gate.ts';

/** How many decisions a stream keeps, so that many events of one run need one query. */
const MAX_KNOWN = 1_000;

/**
 * Returns a function that decides about events by their runs. A decision holds as long as the stream is
 * open, which is limited by `events.longestMs`.
 */
export function mayReadEvents(desk: Desk, access: Access): MayReadEvent {
  const known = new Map<string, Promise<boolean>>();
  return ({ runId }) => {
    const found = known.get(runId);
    if (found !== undefined) return found;
    const [oldest = ''] = known.keys();
    if (known.size >= MAX_KNOWN) known.delete(oldest);
    const decision = mayReadRun(desk, access, runId);
    known.set(runId, decision);
    return decision;
  };
}

async function mayReadRun(desk: Desk, access: Access, runId: string): Promise<boolean> {
  return access.may('read', { kind: 'run', run: await desk.run(runId) });
}
