import { nextTimer } from '../approvers/hold-timer.ts';
import type { Policy } from '../approvers/policy.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import { newId } from '../model/new-id.ts';
import type { RunRow } from '../model/run-row.ts';
import { Redaction } from '../redaction/redaction.ts';
import { searchTextOf } from '../redaction/search-text.ts';
import { Secrets } from '../redaction/secrets.ts';
import { type Progress, writeProgress } from './checkpoint-run.ts';
import { decideByGrant, decideByShadow } from './decide-by-grant.ts';
import { insertSecrets, recordedSecrets } from './record-secrets.ts';
import type { RunChange } from './run-change.ts';
import type { RunWriter } from './run-writer.ts';

/** A pending call for which a hold is opened. */
export interface NewHold
  extends Pick<
    HoldRow,
    | 'kind'
    | 'question'
    | 'key'
    | 'path'
    | 'toolName'
    | 'title'
    | 'annotations'
    | 'args'
    | 'validatedArgs'
    | 'metadata'
    | 'preview'
    | 'digest'
    | 'inDoubt'
    | 'drifted'
    | 'deniedBefore'
    | 'approvers'
    | 'schema'
    | 'toolHash'
  > {
  /** The time until it expires, in milliseconds; no limit by default. */
  readonly expiresAfter?: number | undefined;
  /** True if the policy only records that it would have held the call. */
  readonly isShadow?: boolean | undefined;
}

/**
 * Parks a run: stores its messages and one hold per pending call, in one transaction. If grants approve all calls, the
 * run is ready to resume.
 */
export function parkRun(
  writer: RunWriter,
  policy: Policy,
  parked: Progress & {
    readonly holds: readonly NewHold[];
    readonly redaction?: Redaction | undefined;
  },
  report: (error: unknown) => void = () => {},
): Promise<RunRow> {
  const { fence } = writer.claim;
  return writer.write(async (claimed) => {
    const { change } = claimed;
    await writeProgress(change, parked);
    const parks = change.run.parks + 1;
    change.move('parked');
    change.set({ parks, openHolds: parked.holds.length, error: undefined });
    change.record('run-parked', { fence, park: parks, holds: parked.holds.length });
    const { redaction = new Redaction() } = parked;
    await openHolds(change, { policy, redaction, report }, parked.holds);
    await claimed.setTask({ due: undefined, attempts: 0 });
    if (change.run.openHolds === 0) await change.makeReady();
    return change.run;
  });
}

/** The parts of a desk that open holds. */
export interface HoldDeps {
  readonly policy: Policy;
  readonly redaction: Redaction;
  readonly report: (error: unknown) => void;
}

/** Opens a hold for each call of a parked run. A grant may decide it immediately. */
export async function openHolds(
  change: RunChange,
  { policy, redaction, report }: HoldDeps,
  calls: readonly NewHold[],
): Promise<void> {
  const secrets = await secretsOf(change, calls, redaction);
  for (const [callIndex, call] of calls.entries()) {
    const { requester, agent } = change.run;
    const searchText = searchTextOf({ ...call, requester, agent }, redaction, secrets);
    const searched = { ...call, searchText, redactionRules: redaction.fingerprint };
    await openHold(change, { policy, report }, searched, callIndex);
  }
}

/** Records the redacted values of the holds; returns all of the conversation. */
async function secretsOf(
  { tx, run: { tenant, conversationId } }: RunChange,
  holds: readonly NewHold[],
  redaction: Redaction,
): Promise<Secrets> {
  if (redaction.isEmpty) return new Secrets([]);
  const calls = holds.flatMap(({ toolName, args, validatedArgs }) =>
    [args, validatedArgs ?? args].map((one) => ({ toolName, args: one })),
  );
  await insertSecrets(tx, [tenant, conversationId], redaction.valuesOf(calls));
  return recordedSecrets(tx, [tenant, conversationId]);
}

type SearchedHold = NewHold & Pick<HoldRow, 'searchText' | 'redactionRules'>;

async function openHold(
  change: RunChange,
  { policy, report }: { readonly policy: Policy; readonly report: (error: unknown) => void },
  call: SearchedHold,
  callIndex: number,
): Promise<void> {
  const { tx, run, now } = change;
  const { tenant, conversationId, agent, requester, otherRequesters, parks: park } = run;
  const { expiresAfter, isShadow, ...about } = call;
  const id = newId();
  const expiresAt = expiresAfter === undefined ? undefined : now + expiresAfter;
  const hold: HoldRow = {
    ...about,
    tenant,
    id,
    runId: run.id,
    conversationId,
    agent,
    requester,
    otherRequesters,
    park,
    callIndex,
    state: 'open',
    createdAt: now,
    expiresAt,
    auditFrom: run.auditCount,
  };
  await tx.holds.insert(hold);
  await recordOpened(change, hold);
  if (isShadow) return decideByShadow(change, hold);
  if (await decideByGrant(change, policy, hold, report)) return;
  const due = nextTimer(hold);
  if (due !== undefined) {
    await tx.tasks.insert({ tenant, kind: 'expiry', id, due, fence: 0, attempts: 0 });
  }
  await change.emit('hold-opened', { holdId: id, holdKind: hold.kind });
}

function recordOpened(change: RunChange, hold: HoldRow): Promise<void> {
  const { digest, inDoubt, expiresAt, approvers } = hold;
  return change.recordHold('hold-opened', hold, {
    digest,
    ...(inDoubt && { inDoubt: inDoubt.attempt }),
    ...(expiresAt !== undefined && { expiresAt }),
    // A rule is JSON.
    ...(approvers && { approvers: toJson(approvers) }),
  });
}
