import type { AuditRow, Desk, HoldRow, HoldState, RunRow } from '@holdpoint/desk';
import type { Message } from 'holdpoint';
import type { AcknowledgedDecision } from '../crash/messages.ts';

/** A run with all of its rows. */
export interface StoredRun {
  readonly run: RunRow;
  readonly holds: readonly HoldRow[];
  readonly decisions: readonly AcknowledgedDecision[];
  readonly messages: readonly Message[];
  readonly audit: readonly AuditRow[];
}

export async function readStoredRun(desk: Desk, run: RunRow): Promise<StoredRun> {
  const { items: holds } = await desk.holds({ runId: run.id, states: EVERY_STATE, limit: 500 });
  const decided = await Promise.all(holds.map(({ id }) => desk.hold(id)));
  return {
    run,
    holds,
    decisions: decided.flatMap(({ id: holdId, decisions }) =>
      decisions.map(({ digest, by, decision }) => ({
        holdId,
        digest,
        by: by.id,
        decision,
      })),
    ),
    messages: await desk.history(run.conversationId),
    audit: await desk.audit(run.id),
  };
}

/** Returns the holds of a call. A call in doubt has several; the last one counts. */
export function holdsAbout({ holds }: StoredRun, to: string): readonly HoldRow[] {
  // The arguments are those of the agent of the test.
  return holds.filter((hold) => (hold.args as { to: string }).to === to);
}

export function decisionOn({ decisions }: StoredRun, hold: HoldRow | undefined) {
  return decisions.find(({ holdId }) => holdId === hold?.id)?.decision;
}

const EVERY_STATE: readonly HoldState[] = [
  'open',
  'decided',
  'expired',
  'superseded',
  'cancelled',
  'consumed',
];
