import { AlreadyResumedError } from '../errors/already-resumed-error.ts';
import { RefusedAnswersError } from '../errors/refused-answers-error.ts';
import { UserError } from '../errors/user-error.ts';
import { requestsOfAgent } from '../deferred/from-messages.ts';
import { answersBelow } from '../deferred/requests-builder.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type LedgerKey, roundKey } from '../ledger/ledger-key.ts';
import type { CallDetails } from '../messages/call-details.ts';
import { hasNone } from '../messages/json.ts';
import { lastResponse, type Message, toolCallsOf } from '../messages/message.ts';
import { type OpenCall, recordOf, someOpen, type StepRecord } from '../messages/step-record.ts';
import { digestOfCall } from './describe-waiting.ts';
import type { Round } from './round.ts';
import type { Run } from './run.ts';

/** Tells the ledger what is asked: what is changed in a stored history afterwards is noticed. */
export async function noteAsked(run: Run, round: Round): Promise<void> {
  const record = recordOf(run.messages);
  if (run.claims === undefined || record === undefined) return;
  for (const waiting of round.waiting) {
    const deferral = round.deferralOf(waiting);
    const digest = deferral.as === 'agent' ? undefined : deferral.details?.digest;
    if (digest === undefined) continue;
    await run.claims.ledger.record(askedKey(record, digest), { outcome: { runId: run.runId } });
  }
}

/**
 * Checks that the calls which are answered are those that were asked about, those of agents below
 * included: against the digests that the answers carry, and against what the ledger was told. Nothing
 * has run yet.
 */
export function checkAsked(
  run: Run,
  results: DeferredToolResults,
  record: StepRecord | undefined,
): Promise<void> | undefined {
  if (run.claims === undefined) {
    requireNoLedger(record);
    if (hasNone(results.digests) && !someOpen(record, saysMore)) return undefined;
  } else {
    requireRecord(record);
  }
  return refuseChanged(run, results);
}

function saysMore(open: OpenCall): boolean {
  return open.kind === 'agent' || open.details !== undefined;
}

async function refuseChanged(run: Run, results: DeferredToolResults): Promise<void> {
  await run.claims?.requireKnown();
  // On replay an earlier attempt has passed this check, and the ledger may have forgotten the requests since.
  const ledger = run.environment.replaying() ? undefined : run.claims?.ledger;
  const place = { messages: run.messages, path: run.path, ledger };
  const { changed, unaware } = await refusedCalls(place, results);
  if (unaware.length > 0) throw new RefusedAnswersError(unaware, NOT_KNOWING);
  if (changed.length === 0) return;
  throw new RefusedAnswersError(
    changed,
    'The calls are not those that were asked about: their arguments, their tools or what was shown have changed, or the ' +
      'ledger was never told of them. Ask again.',
  );
}

function requireRecord(record: StepRecord | undefined): void {
  if (record !== undefined) return;
  throw new UserError(
    'With a ledger only a run that Holdpoint has parked can be resumed: this history has no step record, so ' +
      'nobody could tell whether its calls have run. Resume it without a ledger.',
  );
}

function requireNoLedger(record: StepRecord | undefined): void {
  if (!record?.ledger) return;
  throw new UserError(
    'This run was parked with a ledger, which sees to it that its calls run once, and there is none now. Resume it ' +
      'with the same ledger; or with a copy from forkHistory, if its calls may run although they may have run before.',
  );
}

/** Where calls wait: a history, and the ids of the calls that delegated to the agent which it is of. */
interface ParkedPlace {
  readonly messages: readonly Message[];
  readonly path: readonly string[];
  readonly ledger: Ledger | undefined;
}

const NOT_KNOWING =
  'These calls may have executed already, or they changed after an approver saw them. Build the decisions with ' +
  '`requests.buildResults()`, which adds the digests that confirm what the approver was shown.';

/** The ids of calls whose answers are refused. */
interface RefusedCalls {
  /** They are not what was asked about, or not what was answered. */
  readonly changed: readonly string[];
  /** They are in doubt, and the answers do not say that they know. */
  readonly unaware: readonly string[];
}

async function refusedCalls(
  { messages, path, ledger }: ParkedPlace,
  results: DeferredToolResults,
): Promise<RefusedCalls> {
  const record = recordOf(messages);
  const response = lastResponse(messages);
  const changed: string[] = [];
  const unaware: string[] = [];
  if (response === undefined) return { changed, unaware };
  for (const [index, call] of toolCallsOf(response).entries()) {
    const { toolCallId } = call;
    const open = record?.open.get(toolCallId);
    if (open?.kind === 'agent') {
      const inside = { messages: open.messages, path: [...path, toolCallId], ledger };
      const below = answersBelow(call, requestsOfAgent(open.messages, call), results);
      const refused = await refusedCalls(inside, below);
      if (refused.changed.length > 0) changed.push(toolCallId);
      if (refused.unaware.length > 0) unaware.push(toolCallId);
      continue;
    }
    const carried = results.digests[toolCallId];
    const noted = open?.details?.digest;
    const isApproval = Object.hasOwn(results.approvals, toolCallId);
    const mustBeNoted = ledger !== undefined && isApproval;
    if (isApproval && carried === undefined && needsDigest(open?.details, ledger)) {
      unaware.push(toolCallId);
    }
    if (carried === undefined && noted === undefined && !mustBeNoted) continue;
    const place = { step: record?.step ?? '', index, path };
    const now = noted === undefined ? undefined : await digestOfCall(place, call, open?.details);
    const isSame = now === noted && (carried === undefined || carried === now);
    const isKnown = !mustBeNoted || (await isNoted(ledger, record, now));
    if (!isSame || !isKnown) changed.push(toolCallId);
  }
  return { changed, unaware };
}

/**
 * Returns whether a decision must name the digest of the request: the call may have executed already, or the
 * value that was shown has changed once and only the digest can bind the new one.
 */
function needsDigest(request: CallDetails | undefined, ledger: Ledger | undefined): boolean {
  if (request?.inDoubt !== undefined) return true;
  return request?.drifted === true && request.digest !== undefined && ledger === undefined;
}

async function isNoted(
  ledger: Ledger,
  record: StepRecord | undefined,
  digest: string | undefined,
): Promise<boolean> {
  if (record === undefined || digest === undefined) return false;
  return (await ledger.read(askedKey(record, digest))) !== undefined;
}

/** Takes the resumption of the step for this run; a second one is refused unless it is a replay. */
export async function claimResumption(run: Run, record: StepRecord | undefined): Promise<void> {
  if (run.claims === undefined || record === undefined) return;
  const { ledger } = run.claims;
  await run.claims.requireKnown();
  const key = roundKey(record.step, record.round ?? 0, run.messages.at(-1)?.runId);
  // A sub-agent whose step executes again after a crash has another run id, and the same outermost run.
  const owner = { runId: run.outermostRunId };
  const state = await ledger.record(key, { outcome: owner });
  await run.claims.requireKnown();
  if (state.state === 'recorded' || run.setup.guarantees.onAlreadyResumed === 'replay') return;
  // A run that is played back has resumed the step itself.
  const outcome = state.state === 'settled' ? state.outcome : undefined;
  if (JSON.stringify(outcome) === JSON.stringify(owner)) return;
  throw new AlreadyResumedError(record.step);
}

/** The entry that says that a call was asked about, in whichever round. */
function askedKey({ step }: StepRecord, digest: string): LedgerKey {
  return { step, slot: `asked:${digest}` };
}
