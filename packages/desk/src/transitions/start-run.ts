import { DeskError } from '../errors/desk-error.ts';
import { newId } from '../model/new-id.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { addRequester, otherRequesters } from './conversation-requesters.ts';
import { RunChange } from './run-change.ts';

/** A run that is to be started. */
export interface NewRun {
  readonly agent: string;
  /** What the model is told first, as a document of messages. */
  readonly input: string;
  readonly requester?: Person | undefined;
  /** The conversation to go on with; a new one unless given. */
  readonly conversationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** A hash of all that the idempotency key stands for. */
  readonly startHash: string;
}

/** Writes a run that is ready to be worked on; with a known idempotency key it gives the run that has it. */
export async function startRun(store: Store, tenant: string, start: NewRun): Promise<RunRow> {
  for (;;) {
    const run = await store.write((tx) => insertRun(tx, tenant, start));
    // Somebody else was faster between the look and the insert: the next look finds what they wrote.
    if (run !== undefined) return run;
  }
}

async function insertRun(tx: Tx, tenant: string, start: NewRun): Promise<RunRow | undefined> {
  const { agent, input, requester, idempotencyKey, startHash } = start;
  if (idempotencyKey !== undefined) {
    const known = await tx.runs.byIdempotencyKey(tenant, idempotencyKey);
    if (known !== undefined) return sameStart(known, start);
  }
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
    input,
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
  if (!(await tx.runs.insert(run))) return undefined;
  await tx.tasks.insert({ tenant, kind: 'run', id, due: now, fence: 0, tries: 0 });
  const change = new RunChange(tx, run, now);
  change.note('run-started', { agent, conversationId, startHash }, requester);
  await change.tell('run-started', { agent, conversationId });
  return change.save();
}

function sameStart(known: RunRow, { startHash }: NewRun): RunRow {
  if (known.startHash === startHash) return known;
  throw new DeskError(
    'idempotency-key-reused',
    `The idempotency key was used for run '${known.id}', which was started with something else. Use another key.`,
  );
}

/** A conversation goes on with one run at a time. */
export function conversationBusy({ id, state }: RunRow): DeskError {
  return new DeskError(
    'conversation-busy',
    `The conversation has run '${id}', which is ${state}. Wait until it has ended, or cancel it.`,
  );
}
