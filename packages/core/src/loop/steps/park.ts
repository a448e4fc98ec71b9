import { quoteCalls } from '../../errors/quote-ids.ts';
import { UserError } from '../../errors/user-error.ts';
import {
  type OpenCall,
  readStepRecord,
  type StepRecord,
  withStepRecord,
} from '../../messages/step-record.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { Parked } from '../step.ts';

/** Ends the run with the calls that wait; what a later process must know goes into the history. */
export function park(run: Run, round: Round): Parked {
  const requests = round.requests();
  if (!run.outputPlan.allowsDeferred) {
    const calls = quoteCalls(round.waiting.map(({ call }) => call));
    throw new UserError(
      `The run has tool calls that wait for an answer, and nobody to give it: ${calls}. ` +
        'Add DeferredToolRequests to the outputs to get them from the run, or give it a deferredToolHandler.',
    );
  }
  const parts = round.parts();
  if (parts.length > 0) run.append(run.request(parts));
  recordWaiting(run, round, parts.length > 0);
  return { kind: 'parked', requests };
}

/**
 * Writes down which calls wait: on the response that they are from; in a later round of the same step
 * on the request that this round has added, or on one of its own.
 */
export function recordWaiting(run: Run, round: Round, hasRequest: boolean): void {
  const known = readStepRecord(run.messages);
  const record = recordOf(run, round, known);
  const response = run.messages.findLastIndex((message) => message.kind === 'response');
  const isFirstRound = run.messages.length - 1 - response === (hasRequest ? 1 : 0);
  if (known === undefined && isFirstRound) {
    run.replaceLastResponse((message) => withStepRecord(message, record));
  } else if (hasRequest) {
    run.replaceLast((request) => withStepRecord(request, record));
  } else if (known === undefined || changes(known, record)) {
    run.append(withStepRecord(run.request([]), record));
  }
}

function recordOf(run: Run, round: Round, known: StepRecord | undefined): StepRecord {
  const open: Record<string, OpenCall> = Object.create(null);
  for (const { call, place } of round.waiting) {
    const { as, metadata } = round.deferrals[place]!;
    open[call.toolCallId] = Object.freeze(
      metadata === undefined ? { kind: as } : { kind: as, metadata },
    );
  }
  const step = known?.step ?? run.environment.newId();
  const order = round.waiting.map(({ call }) => call.toolCallId);
  const inOrder = Object.keys(open).every((id, index) => id === order[index]);
  return Object.freeze({ v: 1, step, open: Object.freeze(open), ...(inOrder ? {} : { order }) });
}

/** Whether a record says anything that the known one does not. */
function changes(known: StepRecord, record: StepRecord): boolean {
  return Object.entries(record.open).some(
    ([id, call]) =>
      !Object.hasOwn(known.open, id) || JSON.stringify(known.open[id]) !== JSON.stringify(call),
  );
}
