import { DeskError } from '../errors/desk-error.ts';
import { newId } from '../model/new-id.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { acceptOnce, RaceLostError } from './accept-once.ts';
import { addRequester, otherRequesters } from './conversation-requesters.ts';
import { queueInput } from './inputs.ts';
import { RunChange } from './run-change.ts';

/** A run that is to be started. */
export interface NewRun {
  readonly agent: string;
  /** The prompt, as a document of messages. */
  readonly input: string;
  /** The beginning of the prompt's text, for lists of runs. */
  readonly prompt?: string | undefined;
  readonly requester?: Person | undefined;
  /** The conversation to continue; a new one unless given. */
  readonly conversationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** A hash of all that the idempotency key stands for. */
  readonly startHash: string;
}

/** Writes a run that is ready for a worker. For an idempotency key that its requester has used, returns that run. */
export function startRun(store: Store, tenant: string, start: NewRun): Promise<RunRow> {
  const input = { ...start, hash: start.startHash };
  return acceptOnce(store, tenant, input, (tx) => insertRun(tx, tenant, start));
}

/** Writes a run that is ready for a worker, with its first input. */
export async function insertRun(tx: Tx, tenant: string, start: NewRun): Promise<RunRow> {
  const { agent, prompt, requester, idempotencyKey, startHash } = start;
  const conversationId = start.conversationId ?? newId();
  const live = await tx.runs.liveIn(tenant, conversationId);
  if (live !== undefined) throw conversationBusy(live);
  const asker = requester ?? null;
  const requesters = await addRequester(tx, tenant, conversationId, asker);
  const now = await tx.now();
  const id = newId();
  const run: RunRow = {
    tenant,
    id,
    agent,
    conversationId,
    state: 'ready',
    requester,
    ...otherRequesters(requesters, asker),
    ...(prompt !== undefined && { prompt }),
    firstPosition: await tx.messages.count(tenant, conversationId),
    openHolds: 0,
    parks: 0,
    idempotencyKey,
    startHash,
    createdAt: now,
    updatedAt: now,
    auditCount: 0,
    auditHash: '',
  };
  if (!(await tx.runs.insert(run))) throw new RaceLostError('The conversation got a run.');
  await tx.tasks.insert({ tenant, kind: 'run', id, queue: agent, due: now, fence: 0, attempts: 0 });
  const change = new RunChange(tx, run, now);
  await queueInput(change, { ...start, hash: startHash });
  change.record('run-started', { agent, conversationId, startHash }, requester);
  await change.emit('run-started', { agent, conversationId });
  return change.save();
}

/** A conversation has one live run at a time. */
export function conversationBusy({ id, state }: RunRow): DeskError {
  return new DeskError(
    'conversation-busy',
    `The conversation has run '${id}', which is ${state}. Wait until it has ended, or cancel it.`,
  );
}
