import { chain, type MaybePromise } from '../../context/chain.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { quoteCalls } from '../../errors/quote-ids.ts';
import { UserError } from '../../errors/user-error.ts';
import type { Deferral } from '../../execution/placed-call.ts';
import type { Approval } from '../../execution/approval.ts';
import { lastResponseIndex, type Message } from '../../messages/message.ts';
import { type NewRecord, PLAIN } from '../../messages/short-record.ts';
import {
  type OpenCall,
  recordOf,
  type RecordedApproval,
  type StepRecord,
  withStepRecord,
} from '../../messages/step-record.ts';
import { noteAsked } from '../asked-calls.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ParkedRun } from '../../capabilities/ended.ts';

/** Ends the run with the calls that wait; what a later process must know goes into the history. */
export function park(
  run: Run,
  round: Round,
  requests: DeferredToolRequests,
): MaybePromise<ParkedRun> {
  if (!run.mayPark) throw cannotPark(run, round);
  const parts = round.parts();
  if (parts.length > 0) run.append(run.request(parts));
  recordWaiting(run, round, parts.length > 0);
  const noting = run.claims && run.cancellation.guard(noteAsked(run, round));
  return chain(noting, () => ({ kind: 'parked', requests }));
}

function cannotPark({ setup }: Run, round: Round): UserError {
  const calls = quoteCalls(round.waiting.map(({ call }) => call));
  return new UserError(
    setup.delegation === undefined
      ? `The run has tool calls that wait for an answer, and nobody to give it: ${calls}. ` +
          'Add DeferredToolRequests to the outputs to get them from the run, or give it a deferredToolHandler.'
      : // A tool that runs an agent on its own would have to begin again from the top.
        `An agent that was run with parent: ctx has tool calls that wait for an answer: ${calls}. Such a run cannot ` +
          'wait. Use agent.asTool(), whose calls wait with the parent run, or a deferredToolHandler.',
    { code: 'cannot-park' },
  );
}

/**
 * Writes down which calls wait: on the response that they are from; in a later round of the same step
 * on the request that this round has added, or on one of its own.
 */
export function recordWaiting(run: Run, round: Round, hasRequest: boolean): void {
  const known = recordOf(run.messages);
  const response = lastResponseIndex(run.messages);
  const isFirstRound = run.messages.length - 1 - response === (hasRequest ? 1 : 0);
  const isOnResponse = isFirstRound && !wasParked(known);
  const step = known?.step ?? (isOnResponse ? run.newStep() : run.stepName());
  const record = newRecord(run, round, step, known);
  if (isOnResponse) {
    run.replaceLastResponse((message) => withStepRecord(message, record));
  } else if (hasRequest) {
    run.replaceLast((request) => withStepRecord(request, record));
  } else if (known === undefined || isResumed(run) || changes(known, record)) {
    run.append(withStepRecord(run.request([]), record));
  }
}

function newRecord(
  run: Run,
  round: Round,
  step: string | number,
  known: StepRecord | undefined,
): NewRecord {
  const open: [toolCallId: string, call: OpenCall][] = [];
  for (const waiting of round.waiting) {
    const { toolCallId } = waiting.call;
    open.push([toolCallId, openCallOf(round.deferralOf(waiting), known?.open.get(toolCallId))]);
  }
  return {
    step,
    open,
    round: wasParked(known) ? (known.round ?? 0) + 1 : undefined,
    ledger: run.claims && true,
    usage: run.setup.guarantees.carryUsage ? run.usage.spent() : undefined,
  };
}

function openCallOf(deferral: Deferral, before: OpenCall | undefined): OpenCall {
  if (deferral.as !== 'agent') {
    const { as: kind, metadata, details } = deferral;
    if (metadata === undefined && details === undefined) return PLAIN[kind];
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

function recordedApproval({ overrideArgs, asked, metadata, given }: Approval): RecordedApproval {
  const args = overrideArgs ?? asked?.args;
  return {
    ...(args && { overrideArgs: args }),
    ...(metadata && { metadata }),
    ...(given && { given }),
  };
}

/** Whether calls of the step have waited; a record without any only names it. */
function wasParked(known: StepRecord | undefined): known is StepRecord {
  return known !== undefined && known.open.size > 0;
}

/** A step that was resumed and waits again is another round of it, also if it waits for the same. */
function isResumed({ setup }: Run): boolean {
  return setup.deferredToolResults !== undefined;
}

/** Whether a record says anything that the known one does not. */
function changes(known: StepRecord, record: NewRecord): boolean {
  return [...record.open].some(([id, call]) => {
    const before = known.open.get(id);
    if (before === undefined) return true;
    if (call.kind === 'agent') return call.from === 0 || call.messages.length > 0;
    return JSON.stringify(before) !== JSON.stringify(call);
  });
}
