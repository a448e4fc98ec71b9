import type { AuditRow, Desk, HoldRow, HoldState, RunRow } from '@holdpoint/desk';
import type { Message } from 'holdpoint';
import type { Acknowledged } from '../crash/messages.ts';

/** All that is stored about a run. */
export interface RunAsStored {
  readonly run: RunRow;
  readonly holds: readonly HoldRow[];
  readonly answers: readonly Acknowledged[];
  readonly messages: readonly Message[];
  readonly audit: readonly AuditRow[];
}

/** Reads all that is stored about a run. */
export async function runAsStored(desk: Desk, run: RunRow): Promise<RunAsStored> {
  const { items: holds } = await desk.holds({ runId: run.id, states: EVERY_STATE, limit: 500 });
  const answered = await Promise.all(holds.map(({ id }) => desk.hold(id)));
  return {
    run,
    holds,
    answers: answered.flatMap(({ hold, answers }) =>
      answers.map(({ digest, by, answer }) => ({ holdId: hold.id, digest, by: by.id, answer })),
    ),
    messages: await desk.history(run.conversationId),
    audit: await desk.audit(run.id),
  };
}

/** The holds of a call. Several are about one call if it was in doubt, the last of them in the end. */
export function holdsAbout({ holds }: RunAsStored, to: string): readonly HoldRow[] {
  // The arguments are those of the agent of the test.
  return holds.filter((hold) => (hold.args as { to: string }).to === to);
}

/** What somebody has said to a hold. */
export function answerTo({ answers }: RunAsStored, hold: HoldRow | undefined) {
  return answers.find(({ holdId }) => holdId === hold?.id)?.answer;
}

const EVERY_STATE: readonly HoldState[] = [
  'open',
  'decided',
  'expired',
  'superseded',
  'cancelled',
  'consumed',
];
