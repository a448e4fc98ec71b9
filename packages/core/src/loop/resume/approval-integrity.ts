import { AlreadyResumedError, InvalidResultsError, UserError } from '../../errors/user-errors.ts';
import { requestsFromSubAgent } from '../../deferred/from-messages.ts';
import { resultsForSubAgent } from '../../deferred/requests-builder.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import type { LedgerClient } from '../../gate/claim-plan.ts';
import { type Ledger, type LedgerKey, roundKey } from '../../ledger/ledger.ts';
import type { CallDetails } from '../../messages/call-details.ts';
import type { Message } from '../../messages/message.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { stepRecordOf, type StepRecord } from '../../messages/step-record.ts';
import { digestOfCall } from '../describe-deferred.ts';
import { type ParkedStep, readRecordedStep, type RecordedStep } from './parked-step.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';

/**
 * Records the approval requests in the ledger, so that a changed history is detected when the run
 * resumes.
 */
export async function recordApprovalRequests(run: Run, round: Round): Promise<void> {
  const record = stepRecordOf(run.messages);
  if (run.claims === undefined || record === undefined) return;
  for (const deferred of round.deferredCalls) {
    const deferral = round.deferralOf(deferred);
    const digest = deferral.kind === 'sub-agent' ? undefined : deferral.details?.digest;
    if (digest === undefined) continue;
    await run.claims.ledger.record(requestKey(record, digest), { outcome: { runId: run.runId } });
  }
}

/**
 * Validates that the decided calls, including nested calls, are those that the approvers were
 * shown. It compares them with the digests of the decisions and with the ledger, before any call
 * executes.
 */
export async function validateApprovalRequests(
  run: Run,
  step: ParkedStep,
  results: DeferredToolResults,
): Promise<void> {
  const { claims, cancellation, path } = run;
  let ledger: Ledger | undefined;
  if (claims === undefined) {
    if (step.record?.ledger) throw new UserError(LEDGER_MISSING);
  } else {
    if (step.record === undefined) throw new UserError(RECORD_MISSING);
    await cancellation.guard(claims.requireRetained());
    // On replay an earlier attempt has passed this check, and the ledger may have forgotten the requests since.
    if (!run.environment.replaying()) ledger = claims.ledger;
  }
  const comparison = rejectedCalls(step, results, { path, ledger });
  const rejected = await (ledger === undefined ? comparison : cancellation.guard(comparison));
  if (rejected.missingDigest.length > 0)
    throw new InvalidResultsError(rejected.missingDigest, DIGEST_MISSING);
  if (rejected.changed.length > 0) throw new InvalidResultsError(rejected.changed, REQUEST_CHANGED);
}

const LEDGER_MISSING =
  'The run was parked with a ledger, which prevents that its calls execute twice. Pass the same `ledger`. ' +
  'Use `forkHistory` to resume a copy whose calls may execute again.';

const RECORD_MISSING =
  'The history has no step record, so the ledger has no information about its calls. ' +
  'Resume the run without `ledger`, or pass a history that Holdpoint parked.';

const DIGEST_MISSING =
  'These calls may have executed already, or they changed after an approver saw them. Build the decisions with ' +
  '`requests.buildResults()`, which adds the digests that confirm what the approver was shown.';

const REQUEST_CHANGED =
  'These calls differ from the approval requests: their arguments, their tools or their previews changed, or the ledger ' +
  'has no record of the requests. Request the approvals again.';

/** The run that a parked step belongs to. */
interface ParkedOrigin {
  /** The ids of the calls that delegated to the sub-agent whose step it is, the outermost first. */
  readonly path: readonly string[];
  readonly ledger: Ledger | undefined;
}

/** The ids of calls whose decisions are rejected. */
interface RejectedCalls {
  /** The call differs from the approval request. */
  readonly changed: readonly string[];
  /** The decision lacks the digest that it needs. */
  readonly missingDigest: readonly string[];
}

async function rejectedCalls(
  step: RecordedStep,
  results: DeferredToolResults,
  origin: ParkedOrigin,
): Promise<RejectedCalls> {
  const changed: string[] = [];
  const missingDigest: string[] = [];
  for (const [index, call] of step.calls.entries()) {
    const { toolCallId } = call;
    const recorded = step.record?.open.get(toolCallId);
    if (recorded?.kind === 'agent') {
      const nested = await rejectedNestedCalls(call, recorded.messages, results, origin);
      if (nested.changed.length > 0) changed.push(toolCallId);
      if (nested.missingDigest.length > 0) missingDigest.push(toolCallId);
      continue;
    }
    const request = recorded?.details;
    if (lacksDigest(request, results, toolCallId, origin)) missingDigest.push(toolCallId);
    if (!isBound(request, results, toolCallId, origin)) continue;
    if (await hasChanged(step, { call, index, request }, results, origin)) changed.push(toolCallId);
  }
  return { changed, missingDigest };
}

async function rejectedNestedCalls(
  call: ToolCallPart,
  messages: readonly Message[],
  results: DeferredToolResults,
  { path, ledger }: ParkedOrigin,
): Promise<RejectedCalls> {
  const step = readRecordedStep(messages);
  if (step === undefined) return { changed: [], missingDigest: [] };
  const nested = resultsForSubAgent(call, requestsFromSubAgent(messages, call), results);
  return rejectedCalls(step, nested, { path: [...path, call.toolCallId], ledger });
}

/** A call of a parked step, with the approval request that is recorded for it. */
interface RequestedCall {
  readonly call: ToolCallPart;
  readonly index: number;
  readonly request: CallDetails | undefined;
}

/** Returns whether a digest or the ledger binds the decision about a call. */
function isBound(
  request: CallDetails | undefined,
  results: DeferredToolResults,
  toolCallId: string,
  { ledger }: ParkedOrigin,
): boolean {
  if (results.digests[toolCallId] !== undefined || request?.digest !== undefined) return true;
  return ledger !== undefined && Object.hasOwn(results.approvals, toolCallId);
}

/** Returns whether a decided call differs from its approval request, or the ledger has no record of the request. */
async function hasChanged(
  { record }: RecordedStep,
  { call, index, request }: RequestedCall,
  results: DeferredToolResults,
  { path, ledger }: ParkedOrigin,
): Promise<boolean> {
  const { toolCallId } = call;
  const decidedDigest = results.digests[toolCallId];
  const recordedDigest = request?.digest;
  const needsRecord = ledger !== undefined && Object.hasOwn(results.approvals, toolCallId);
  const digest =
    recordedDigest === undefined
      ? undefined
      : await digestOfCall({ step: record?.step ?? '', index, path }, call, request);
  if (digest !== recordedDigest) return true;
  if (decidedDigest !== undefined && decidedDigest !== digest) return true;
  return needsRecord && !(await isRequestRecorded(ledger, record, digest));
}

/** Returns whether an approval or a denial lacks the digest that it needs. */
function lacksDigest(
  request: CallDetails | undefined,
  results: DeferredToolResults,
  toolCallId: string,
  { ledger }: ParkedOrigin,
): boolean {
  const isDecided = Object.hasOwn(results.approvals, toolCallId);
  if (!isDecided || results.digests[toolCallId] !== undefined) return false;
  // The call may have executed already.
  if (request?.inDoubt !== undefined) return true;
  // The value that was shown has changed once. Only the digest binds the new one.
  return request?.drifted === true && request.digest !== undefined && ledger === undefined;
}

async function isRequestRecorded(
  ledger: Ledger,
  record: StepRecord | undefined,
  digest: string | undefined,
): Promise<boolean> {
  if (record === undefined || digest === undefined) return false;
  return (await ledger.read(requestKey(record, digest))) !== undefined;
}

/** Claims the resumption of the step for this run. Throws if it was resumed before, unless that may be replayed. */
export async function claimResumption(
  run: Run,
  { record }: ParkedStep,
  claims: LedgerClient,
): Promise<void> {
  if (record === undefined) return;
  const { ledger } = claims;
  await claims.requireRetained();
  // A record of an earlier version does not name the run that parked; the last message belongs to that run.
  const parkedBy = record.run ?? run.messages.at(-1)?.runId;
  const key = roundKey(record.step, record.round ?? 0, parkedBy);
  // A sub-agent whose step executes again after a crash has another run id, and the same outermost run.
  const claimant = { runId: run.outermostRunId };
  const entry = await ledger.record(key, { outcome: claimant });
  await claims.requireRetained();
  if (entry.state === 'recorded' || run.setup.guarantees.onAlreadyResumed === 'replay') return;
  // A replayed run has resumed the step itself.
  const outcome = entry.state === 'settled' ? entry.outcome : undefined;
  if (JSON.stringify(outcome) === JSON.stringify(claimant)) return;
  throw new AlreadyResumedError(record.step);
}

/** Returns the key of a recorded approval request. It is the same in every round of the step. */
function requestKey({ step }: StepRecord, digest: string): LedgerKey {
  return { step, slot: `request:${digest}` };
}
