import { AlreadyResumedError } from '../errors/already-resumed-error.ts';
import { LedgerError } from '../errors/ledger-error.ts';
import { RefusedAnswersError } from '../errors/refused-answers-error.ts';
import { UserError } from '../errors/user-error.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { digestOf } from '../ledger/digest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { roundKey } from '../ledger/ledger-key.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { openIdsOf, readStepRecord, type StepRecord } from '../messages/step-record.ts';
import { digestOfCall } from './describe-waiting.ts';
import type { Round } from './round.ts';
import type { Run } from './run.ts';

/** Tells the ledger which calls wait: what is changed in a stored history afterwards is noticed. */
export async function noteAsked(run: Run, round: Round): Promise<void> {
  const record = readStepRecord(run.messages);
  if (run.claims === undefined || record === undefined || round.waiting.length === 0) return;
  const { ledger } = run.claims;
  await ledger.record(askedKey(record), { outcome: await digestOfRecord(record) });
}

/**
 * Checks that the calls which wait are those that were asked about: against the digests that the
 * answers carry, and against what the ledger was told. Nothing has run yet.
 */
export async function checkAsked(
  run: Run,
  record: StepRecord | undefined,
  open: readonly ToolCallPart[],
  results: DeferredToolResults,
): Promise<void> {
  const changed: string[] = [];
  for (const call of open) {
    const { toolCallId } = call;
    const waiting =
      record && Object.hasOwn(record.open, toolCallId) ? record.open[toolCallId] : undefined;
    if (waiting?.kind === 'agent') continue;
    const carried = results.digests[toolCallId];
    const noted = waiting?.details?.digest;
    if (carried === undefined && noted === undefined) continue;
    const now =
      record && noted ? await digestOfCall(run, record.step, call, waiting?.details) : undefined;
    if (now !== noted || (carried !== undefined && carried !== now)) changed.push(toolCallId);
  }
  refuseChanged(changed);
  if (run.claims !== undefined && record !== undefined) await checkNoted(run.claims.ledger, record);
}

async function checkNoted(ledger: Ledger, record: StepRecord): Promise<void> {
  const noted = await ledger.read(askedKey(record));
  if (noted?.state !== 'settled' || noted.outcome === (await digestOfRecord(record))) return;
  refuseChanged(openIdsOf(record));
}

function refuseChanged(ids: readonly string[]): void {
  if (ids.length === 0) return;
  throw new RefusedAnswersError(
    ids,
    'The calls are not those that were asked about: their arguments, their tools or what was shown have changed. Ask again.',
  );
}

/** Takes the resumption of the step for this run; a second one is refused unless it is a replay. */
export async function claimResumption(run: Run, record: StepRecord | undefined): Promise<void> {
  if (run.claims === undefined) return;
  if (record === undefined) {
    throw new UserError(
      'With a ledger only a run that Holdpoint has parked can be resumed: this history has no step record, so ' +
        'nobody could tell whether its calls have run. Resume it without a ledger.',
    );
  }
  const { ledger } = run.claims;
  await requireKnown(run, ledger);
  const key = roundKey(record.step, record.round ?? 0);
  const state = await ledger.record(key, { outcome: { runId: run.runId } });
  await requireKnown(run, ledger);
  if (state.state === 'recorded' || run.setup.onResumed === 'replay') return;
  // A run that is played back has resumed the step itself.
  const outcome = state.state === 'settled' ? state.outcome : undefined;
  if (JSON.stringify(outcome) === JSON.stringify({ runId: run.runId })) return;
  throw new AlreadyResumedError(record.step);
}

/** The ledger may have forgotten what it knew of a step that was parked too long ago. */
async function requireKnown(run: Run, ledger: Ledger): Promise<void> {
  const since = await ledger.knowsSince();
  const response = run.messages.findLast((message) => message.kind === 'response');
  const parkedAt = response?.timestamp === undefined ? Number.NaN : Date.parse(response.timestamp);
  if (parkedAt >= since) return;
  throw new LedgerError(
    'step_forgotten',
    `Nothing was run: the run was parked before ${new Date(since).toISOString()}, from when on this ledger knows ` +
      'what was run. Start a new run.',
  );
}

function askedKey({ step, round = 0 }: StepRecord) {
  return { step, slot: `asked:${round}` };
}

/** What was asked, as one digest: which calls wait, of which kind, with which digest. */
function digestOfRecord(record: StepRecord): Promise<string> {
  const open = openIdsOf(record)
    .toSorted()
    .map((id) => {
      const call = record.open[id]!;
      return call.kind === 'agent'
        ? [id, call.kind]
        : [id, call.kind, call.details?.digest ?? null];
    });
  return digestOf('holdpoint/asked/1', { step: record.step, round: record.round ?? 0, open });
}
