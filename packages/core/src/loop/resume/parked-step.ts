import { requireUniqueIds } from '../../deferred/from-messages.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { InvalidResultsError, UserError } from '../../errors/user-errors.ts';
import {
  lastResponse,
  type Message,
  type ModelResponse,
  toolCallsOf,
} from '../../messages/message.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { stepRecordOf, type StepRecord } from '../../messages/step-record.ts';

/** The last response of a history, with the record of its deferred calls. */
export interface RecordedStep {
  readonly response: ModelResponse;
  /** All tool calls of the response, by index. */
  readonly calls: readonly ToolCallPart[];
  /** `undefined` if Holdpoint did not park the step. */
  readonly record: StepRecord | undefined;
}

/** The step that a resumed run was parked in. Its pending calls have unique ids. */
export interface ParkedStep extends RecordedStep {
  /** The calls that have no result. */
  readonly pending: readonly ToolCallPart[];
}

/** Reads the step that a history ends in; `undefined` if the history has no response. */
export function readRecordedStep(messages: readonly Message[]): RecordedStep | undefined {
  const response = lastResponse(messages);
  return response && { response, calls: toolCallsOf(response), record: stepRecordOf(messages) };
}

/** A history to resume, and its calls without a result. */
interface ResumedHistory {
  readonly messages: readonly Message[];
  pendingToolCalls(): readonly ToolCallPart[];
}

/** Reads the step that `results` resume. Throws if the history has none, or if a result could not be matched. */
export function readParkedStep(history: ResumedHistory, results: DeferredToolResults): ParkedStep {
  if (history.messages.length === 0) {
    throw new UserError(
      'The run has `deferredToolResults`, but no history with the pending calls. ' +
        'Pass the messages of the parked run in `messageHistory`.',
    );
  }
  const step = readRecordedStep(history.messages);
  if (step === undefined) {
    throw new UserError(
      'The run has `deferredToolResults`, but `messageHistory` has no response of a model. ' +
        'Pass the messages of the parked run.',
    );
  }
  const pending = history.pendingToolCalls();
  const pendingIds = new Set(pending.map((call) => call.toolCallId));
  const resolved = step.calls.filter(
    ({ toolCallId }) => !pendingIds.has(toolCallId) && results.has(toolCallId),
  );
  if (resolved.length > 0) {
    throw new InvalidResultsError(
      resolved.map((call) => call.toolCallId),
      'These calls have results already, which cannot change. Leave them out of `deferredToolResults`.',
    );
  }
  requireUniqueIds(pending, step.calls);
  if (pending.length === 0) {
    throw new UserError(
      'The run has `deferredToolResults`, but no call of the history is pending. The run may have been resumed before. ' +
        'Use the messages of that resumption, or pass the messages of the parked run.',
      { code: 'nothing-pending' },
    );
  }
  return { ...step, pending };
}
