import { DeskError } from '../errors/desk-error.ts';
import type { RunRow } from '../model/run-row.ts';
import { newId } from '../model/new-id.ts';
import { isOver } from '../model/states.ts';
import type { Store, Tx } from '../store/store.ts';
import { acceptOnce, type NewInput } from './accept-once.ts';
import { notFound } from './not-found.ts';
import { insertRun } from './start-run.ts';
import { supersedeHolds } from './supersede-holds.ts';

/** A message to a conversation. */
export interface NewMessage extends NewInput {
  readonly conversationId: string;
  /** The treatment of open holds: the message is rejected, or they are settled as superseded. */
  readonly onOpenHolds: 'reject' | 'supersede';
}

/**
 * Accepts a message: for the parked run of the conversation, or with a new run of the agent that the
 * conversation had last. Returns the run whose model receives it.
 */
export function acceptMessage(store: Store, tenant: string, message: NewMessage): Promise<RunRow> {
  return acceptOnce(store, tenant, message, async (tx) => {
    const latest = await latestRun(tx, tenant, message.conversationId);
    if (latest.request !== undefined) throw noAgent(latest);
    if (!isOver(latest.state)) return supersedeHolds(tx, latest, message);
    const { hash: startHash, ...rest } = message;
    return insertRun(tx, tenant, newId(), { ...rest, agent: latest.agent, startHash });
  });
}

async function latestRun(tx: Tx, tenant: string, conversationId: string): Promise<RunRow> {
  // Two runs may start in the same millisecond. Then the live one is the last.
  const latest =
    (await tx.runs.liveIn(tenant, conversationId)) ??
    (await tx.runs.latestIn(tenant, conversationId));
  if (latest === undefined) throw notFound('conversation', conversationId);
  return latest;
}

function noAgent({ id }: RunRow): DeskError {
  return new DeskError(
    'conversation-busy',
    `The conversation belongs to request \`${id}\` from outside, which has no agent that could receive a message. Create another request.`,
  );
}
