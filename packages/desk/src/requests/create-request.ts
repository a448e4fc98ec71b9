import type { JsonObject, JsonValue } from 'holdpoint';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { requirementFor } from '../approvers/policy.ts';
import { personKey } from '../approvers/same-person.ts';
import { hashOf } from '../model/hash.ts';
import { newId } from '../model/new-id.ts';
import type { Person } from '../model/person.ts';
import { OUTSIDE_PREFIX, OUTSIDE_QUEUE } from '../model/request-facts.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { acceptOnce, RaceLostError, requesterKeyOf } from '../transitions/accept-once.ts';
import { otherRequesters } from '../transitions/conversation-requesters.ts';
import { type HoldDeps, type NewHold, openHolds } from '../transitions/park-run.ts';
import { resumeRun } from '../transitions/resume-run.ts';
import { RunChange } from '../transitions/run-change.ts';

/** A request to store. Its arguments fit the schema. */
export interface NewRequest {
  readonly toolName: string;
  readonly args: JsonObject;
  readonly schema: JsonObject;
  readonly title?: string | undefined;
  /** The title of the request in lists of runs. */
  readonly description?: string | undefined;
  readonly preview?: JsonValue | undefined;
  /** Facts for the policy. */
  readonly context?: JsonObject | undefined;
  readonly owner: Person;
  readonly requester: Person;
  /** The time until it expires, in milliseconds. The policy may demand less. */
  readonly expiresAfter?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  /** A hash of the request that the idempotency key identifies. */
  readonly hash: string;
}

/** The parts of a desk that requests need. */
export interface RequestDeps extends HoldDeps {
  readonly store: Store;
}

/** Stores a request with its hold. For an idempotency key that its owner has used, returns the earlier one. */
export function createRequest(
  deps: RequestDeps,
  tenant: string,
  given: NewRequest,
): Promise<RunRow> {
  const id = newId();
  const { owner: requester, idempotencyKey, hash } = given;
  const input = { input: '', requester, idempotencyKey, hash };
  return acceptOnce(deps.store, tenant, input, (tx) => insertRequest(tx, deps, tenant, id, given));
}

async function insertRequest(
  tx: Tx,
  deps: RequestDeps,
  tenant: string,
  id: string,
  given: NewRequest,
): Promise<RunRow> {
  const { owner, requester, description, idempotencyKey, hash } = given;
  const conversationId = newId();
  const requesters = personKey(owner) === personKey(requester) ? [requester] : [requester, owner];
  const agent = agentOf(owner);
  const now = await tx.now();
  const run: RunRow = {
    tenant,
    id,
    agent,
    conversationId,
    state: 'ready',
    requester,
    ...otherRequesters(requesters, requester),
    request: { owner },
    ...(description !== undefined && { prompt: description }),
    firstPosition: 0,
    openHolds: 0,
    parks: 0,
    idempotencyKey,
    startHash: hash,
    redactionRules: deps.redaction.fingerprint,
    createdAt: now,
    updatedAt: now,
    auditCount: 0,
    auditHash: '',
  };
  await tx.conversations.insert({ tenant, id: conversationId, requesters });
  if (!(await tx.runs.insert(run))) throw new Error(`There is a run \`${id}\` already.`);
  const task = { tenant, kind: 'run', id, queue: OUTSIDE_QUEUE } as const;
  await tx.tasks.insert({ ...task, fence: 0, attempts: 0 });
  await insertKey(tx, run, owner);
  const change = new RunChange(tx, run, now);
  change.record('run-started', { agent, conversationId, startHash: hash }, owner);
  await change.emit('run-started', { agent, conversationId });
  change.move('running');
  await parkRequest(change, deps, newHold(deps, run, given));
  return change.save();
}

/**
 * Returns the agent name of the requests of an owner. It determines the calls that a grant covers.
 */
export function agentOf(owner: Person): string {
  return `${OUTSIDE_PREFIX}${personKey(owner)}`;
}

/** Records the idempotency key like that of a prompt, so that one index covers both. */
async function insertKey(
  tx: Tx,
  { tenant, id: runId, idempotencyKey, startHash: hash, createdAt: acceptedAt }: RunRow,
  owner: Person,
): Promise<void> {
  const row = { tenant, runId, number: 1, state: 'delivered', idempotencyKey, hash } as const;
  const requesterKey = requesterKeyOf(owner);
  if (await tx.inputs.insert({ ...row, requesterKey, acceptedAt })) return;
  throw new RaceLostError('The idempotency key was used at the same moment.');
}

/** Parks a running request with one hold. */
export async function parkRequest(
  change: RunChange,
  deps: RequestDeps,
  hold: NewHold,
): Promise<void> {
  const parks = change.run.parks + 1;
  change.move('parked');
  change.set({ parks, openHolds: 1 });
  change.record('run-parked', { park: parks, holds: 1 });
  await openHolds(change, deps, [hold]);
  // A grant may have approved the call.
  await resumeRun(change);
}

function newHold({ policy }: RequestDeps, run: RunRow, given: NewRequest): NewHold {
  const { toolName, args, schema, title, preview, context: metadata } = given;
  const about = {
    kind: 'approval',
    toolName,
    args,
    path: [],
    ...(preview !== undefined && { preview }),
    ...(metadata !== undefined && { metadata }),
  } as const;
  const { agent, requester, otherRequesters: others } = run;
  const effective = effectiveCallOf({ ...about, agent, requester, otherRequesters: others });
  return {
    ...about,
    key: run.id,
    schema,
    ...(title !== undefined && { title }),
    digest: digestOf(run, about, schema),
    // A grant is bound to the schema, because the arguments may have another meaning with another
    // schema.
    toolHash: hashOf('holdpoint/outside-tool/1', toolName, schema),
    approvers: requirementFor(policy, effective),
    isShadow: policy.isShadow(effective),
    expiresAfter: shortest(given.expiresAfter, policy.expiresAfter(effective)),
  };
}

/** Returns the digest of all facts about a call that approvers are shown. */
export function digestOf(
  { id, parks }: RunRow,
  call: Pick<NewHold, 'toolName' | 'args' | 'preview' | 'metadata' | 'inDoubt'>,
  schema: JsonObject | undefined,
): string {
  const { toolName, args, preview = null, metadata = null, inDoubt } = call;
  const shown = [toolName, args, schema ?? null, preview, metadata, inDoubt?.attempt ?? null];
  return hashOf('holdpoint/request/1', id, parks + 1, ...shown);
}

function shortest(...times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
