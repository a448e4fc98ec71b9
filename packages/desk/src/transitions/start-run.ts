import { DeskError } from '../errors/desk-error.ts';
import { newId } from '../model/new-id.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { acceptOnce, RaceLostError } from './accept-once.ts';
import { addRequester, otherRequesters } from './conversation-requesters.ts';
import { queueInput } from './inputs.ts';
import { RunChange } from './run-change.ts';

/** A run to start. */
export interface NewRun {
  readonly agent: string;
  /** The prompt, as a document of messages. */
  readonly input: string;
  /** The beginning of the prompt's text, for lists of runs. */
  readonly prompt?: string | undefined;
  readonly requester?: Person | undefined;
  /** The conversation to continue; a new one by default. */
  readonly conversationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** A hash of the request that the idempotency key identifies. */
  readonly startHash: string;
}

/** Writes a run that is ready for a worker. For an idempotency key that its requester has used, returns that run. */
export function startRun(store: Store, tenant: string, start: NewRun): Promise<RunRow> {
  const input = { ...start, hash: start.startHash };
  const runId = newId();
  const isNew = start.conversationId === undefined;
  return acceptOnce(store, tenant, input, (tx) => insertRun(tx, tenant, runId, start), {
    about: isNew ? { tenant, runId, isNew } : undefined,
  });
}

/** Writes a run that is ready for a worker, with its first input. */
export async function insertRun(
  tx: Tx,
  tenant: string,
  id: string,
  start: NewRun,
): Promise<RunRow> {
  const { agent, prompt, requester, idempotencyKey, startHash } = start;
  const asker = requester ?? null;
  const { conversationId, requesters, firstPosition } =
    start.conversationId === undefined
      ? await insertConversation(tx, tenant, asker)
      : await continueConversation(tx, tenant, start.conversationId, asker);
  const now = await tx.now();
  const run: RunRow = {
    tenant,
    id,
    agent,
    conversationId,
    state: 'ready',
    requester,
    ...otherRequesters(requesters, asker),
    ...(prompt !== undefined && { prompt }),
    firstPosition,
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

/** The conversation of a new run. */
interface RunConversation {
  readonly conversationId: string;
  readonly requesters: readonly (Person | null)[];
  /** The position of the first message of the run. */
  readonly firstPosition: number;
}

async function insertConversation(
  tx: Tx,
  tenant: string,
  requester: Person | null,
): Promise<RunConversation> {
  const conversationId = newId();
  const requesters = [requester];
  await tx.conversations.insert({ tenant, id: conversationId, requesters });
  return { conversationId, requesters, firstPosition: 0 };
}

async function continueConversation(
  tx: Tx,
  tenant: string,
  conversationId: string,
  requester: Person | null,
): Promise<RunConversation> {
  const live = await tx.runs.liveIn(tenant, conversationId);
  if (live !== undefined) throw conversationBusy(live);
  const requesters = await addRequester(tx, tenant, conversationId, requester);
  const firstPosition = await tx.messages.count(tenant, conversationId);
  return { conversationId, requesters, firstPosition };
}

/** A conversation has one live run at a time. */
export function conversationBusy({ id, state }: RunRow): DeskError {
  return new DeskError(
    'conversation-busy',
    `The conversation has run \`${id}\`, which is ${state}. Wait until it has ended, or cancel it.`,
  );
}
