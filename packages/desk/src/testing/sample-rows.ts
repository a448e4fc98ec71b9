import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { InputRow } from '../model/input-row.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { RunRow } from '../model/run-row.ts';
import type { TaskRow } from '../model/task-row.ts';
import type { Tx } from '../store/store.ts';
import { TENANT } from './store-bench.ts';

/** A run with nothing special about it. */
export function sampleRun(fields: Partial<RunRow> = {}): RunRow {
  const id = fields.id ?? 'run-1';
  return {
    tenant: TENANT,
    id,
    agent: 'agent',
    conversationId: `conversation of ${id}`,
    state: 'ready',
    firstPosition: 0,
    openHolds: 0,
    parks: 0,
    startHash: '',
    createdAt: 1_000,
    updatedAt: 1_000,
    auditCount: 0,
    auditHash: '',
    ...fields,
  };
}

/** An input that no model has received yet. */
export function sampleInput(fields: Partial<InputRow> = {}): InputRow {
  return {
    tenant: TENANT,
    runId: 'run-1',
    number: 1,
    state: 'queued',
    body: '"hello"',
    requesterKey: 'ada',
    hash: 'hash',
    acceptedAt: 1_000,
    ...fields,
  };
}

/** A hold with nothing special about it. */
export function sampleHold(fields: Partial<HoldRow> = {}): HoldRow {
  return {
    tenant: TENANT,
    id: 'hold-1',
    runId: 'run-1',
    conversationId: 'conversation of run-1',
    agent: 'agent',
    park: 1,
    callIndex: 0,
    kind: 'approval',
    key: 'call-1',
    path: [],
    toolName: 'tool',
    args: {},
    digest: 'digest',
    state: 'open',
    searchText: 'tool {}',
    createdAt: 1_000,
    ...fields,
  };
}

/** A grant for all calls of the sample tool. */
export function sampleGrant(fields: Partial<GrantRow> = {}): GrantRow {
  return {
    tenant: TENANT,
    id: 'grant-1',
    scope: 'tenant',
    toolName: 'tool',
    toolHash: 'tool-hash',
    match: { kind: 'any' },
    agent: 'agent',
    path: [],
    conversationId: 'conversation of run-1',
    by: [{ id: 'ada', at: 1_000 }],
    holdId: 'hold-1',
    runId: 'run-1',
    used: 0,
    createdAt: 1_000,
    ...fields,
  };
}

/** A task that is due. */
export function sampleTask(fields: Partial<TaskRow> = {}): TaskRow {
  return { tenant: TENANT, kind: 'run', id: 'run-1', due: 1_000, fence: 0, attempts: 0, ...fields };
}

/** A message at a position. */
export function sampleMessage(position: number, body = `{"at":${position}}`): MessageRow {
  return { tenant: TENANT, conversationId: 'c', position, runId: 'run-1', version: 1, body };
}

/** Inserts the run that a row refers to, unless it exists. It has ended, so others can use its conversation. */
export async function insertParentRun(tx: Tx, tenant: string, id: string): Promise<void> {
  await tx.runs.insert(sampleRun({ tenant, id, state: 'finished' }));
}

/** Inserts a hold and its run. */
export async function insertHold(tx: Tx, fields: Partial<HoldRow> = {}): Promise<boolean> {
  const hold = sampleHold(fields);
  await insertParentRun(tx, hold.tenant, hold.runId);
  return tx.holds.insert(hold);
}

/** Inserts a grant, its hold and its run. */
export async function insertGrant(tx: Tx, fields: Partial<GrantRow> = {}): Promise<boolean> {
  const grant = sampleGrant(fields);
  const { tenant, holdId, runId } = grant;
  await insertHold(tx, { tenant, id: holdId, runId, state: 'consumed' });
  return tx.grants.insert(grant);
}

/** Inserts an input and its run. */
export async function insertInput(tx: Tx, fields: Partial<InputRow> = {}): Promise<boolean> {
  const input = sampleInput(fields);
  await insertParentRun(tx, input.tenant, input.runId);
  return tx.inputs.insert(input);
}
