import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { traceparentOf } from '../../context/traceparent.ts';
import { quoteCalls, UserError } from '../../errors/user-errors.ts';
import type { Deferral } from '../../execution/call-in-batch.ts';
import type { Approval } from '../../gate/approval.ts';
import { lastResponseIndex, type Message } from '../../messages/message.ts';
import {
  type PendingCallRecord,
  stepRecordOf,
  type RecordedApproval,
  type StepRecord,
  withStepRecord,
} from '../../messages/step-record.ts';
import { describeDeferred, isResumed, wasParked } from '../describe-deferred.ts';
import { recordApprovalRequests } from '../resume/approval-integrity.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ParkedRun } from '../../events/run-end.ts';

/** Ends the run with its pending calls, and records the data for its resume in the history. */
export function park(run: Run, round: Round, requests: DeferredToolRequests): ParkedRun {
  if (!run.mayPark) throw cannotPark(run, round);
  const parts = round.parts();
  if (parts.length > 0) run.append(run.request(parts));
  recordDeferrals(run, round, parts.length > 0);
  return { kind: 'parked', requests };
}

/** Records the results and the pending calls of the current round of a run that failed or was stopped. */
export async function recordInterruptedRound(run: Run): Promise<void> {
  const { round } = run;
  if (round === undefined) return;
  run.round = undefined;
  const finished = round.parts();
  if (finished.length > 0) run.append(run.request(finished, { state: 'interrupted' }));
  // With a ledger a second execution is ruled out, so an approver can review the call again.
  if (run.claims !== undefined) round.reopenUnsettled();
  if (round.deferredCalls.length > 0) await persistDeferrals(run, round, finished.length > 0);
}

/** Records the deferrals. The run reports its first error, so errors of describing and recording requests are ignored. */
async function persistDeferrals(run: Run, round: Round, hasRequest: boolean): Promise<void> {
  if (run.wantsDigests) await tryDescribeDeferred(run, round);
  recordDeferrals(run, round, hasRequest);
  if (run.wantsDigests) await recordApprovalRequests(run, round).catch(() => {});
}

async function tryDescribeDeferred(run: Run, round: Round): Promise<void> {
  try {
    await describeDeferred(run, round);
  } catch {
    // The requests stay without the missing details.
  }
}

function cannotPark({ setup }: Run, round: Round): UserError {
  const calls = quoteCalls(round.deferredCalls.map(({ call }) => call));
  return new UserError(
    setup.delegation === undefined
      ? `The run has pending calls, but it may not park and no handler resolves them: ${calls}. ` +
          'Add `DeferredToolRequests` to `output`, or pass `deferredToolHandler`.'
      : // A tool that executes an agent itself would have to start again from the top.
        `The run of an agent with \`parent: ctx\` has pending calls: ${calls}. Such a run cannot park. ` +
          'Use `agent.asTool()`, which parks with the parent run, or pass `deferredToolHandler`.',
    { code: 'cannot-park' },
  );
}

/**
 * Records the deferred calls. The first round of a step records them in their response. A later
 * round records them in the request that it added, or in a separate one.
 */
function recordDeferrals(run: Run, round: Round, hasRequest: boolean): void {
  const known = stepRecordOf(run.messages);
  const response = lastResponseIndex(run.messages);
  const isFirstRound = run.messages.length - 1 - response === (hasRequest ? 1 : 0);
  const isOnResponse = isFirstRound && !wasParked(known);
  const record = newRecord(run, round, known);
  if (isOnResponse) {
    run.replaceLastResponse((message) => withStepRecord(message, record));
  } else if (hasRequest) {
    run.replaceLast((request) => withStepRecord(request, record));
  } else if (known === undefined || isResumed(run) || changes(known, record)) {
    run.append(withStepRecord(run.request([]), record));
  }
}

/** Returns how often the current step was parked before, for the record of the deferred calls. */
export function parkingsBefore(run: Run, round: Round): number {
  const known = stepRecordOf(run.messages);
  if (!wasParked(known)) return 0;
  const record = newRecord(run, round, known);
  const isRecorded = round.parts().length > 0 || isResumed(run) || changes(known, record);
  return (isRecorded ? record.round : known.round) ?? 0;
}

function newRecord(run: Run, round: Round, known: StepRecord | undefined): StepRecord {
  const open = new Map<string, PendingCallRecord>();
  for (const deferred of round.deferredCalls) {
    const { toolCallId } = deferred.call;
    open.set(toolCallId, recordedCallOf(round.deferralOf(deferred), known?.open.get(toolCallId)));
  }
  return {
    step: run.stepName(),
    open,
    ...(wasParked(known) && { round: (known.round ?? 0) + 1, run: run.runId }),
    ledger: run.claims && true,
    usage: run.setup.guarantees.carryUsage ? run.usage.spent() : undefined,
    traceparent: traceparentOf(run.context()),
  };
}

function recordedCallOf(
  deferral: Deferral,
  before: PendingCallRecord | undefined,
): PendingCallRecord {
  if (deferral.kind !== 'sub-agent') {
    const { kind, metadata, details } = deferral;
    return Object.freeze({
      kind,
      ...(metadata && { metadata }),
      ...(details && Object.keys(details).length > 0 && { details }),
    });
  }
  const { messages, approval } = deferral;
  const from = before?.kind === 'agent' ? sameMessages(before.messages, messages) : 0;
  return Object.freeze({
    kind: 'agent',
    from,
    messages: Object.freeze(messages.slice(from)),
    ...(approval && { approval: Object.freeze(recordedApproval(approval)) }),
  });
}

/** Returns the number of messages that two histories have in common at their start. */
function sameMessages(before: readonly Message[], now: readonly Message[]): number {
  const different = before.findIndex((message, index) => !isSameMessage(message, now[index]));
  return different < 0 ? before.length : different;
}

/** Compares by value: messages of a recorded step are equal to the earlier ones, but not identical. */
function isSameMessage(message: Message, other: Message | undefined): boolean {
  return message === other || (other !== undefined && sameJson(message, other));
}

function sameJson(one: Message, other: Message): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function recordedApproval({ overrideArgs, request, metadata, given }: Approval): RecordedApproval {
  const args = overrideArgs ?? request?.args;
  return {
    ...(args && { overrideArgs: args }),
    ...(metadata && { metadata }),
    ...(given && { given }),
  };
}

/** Returns whether a record differs from the known one. */
function changes(known: StepRecord, record: StepRecord): boolean {
  return [...record.open].some(([id, call]) => {
    const before = known.open.get(id);
    if (before === undefined) return true;
    if (call.kind === 'agent') return call.from === 0 || call.messages.length > 0;
    return JSON.stringify(before) !== JSON.stringify(call);
  });
}
