import type { ToolCaller } from '../context/run-context.ts';
import { UserError } from '../errors/user-error.ts';
import type { JsonObject, JsonValue } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ModelRetry, ToolFailed } from '../tools/signals.ts';
import { checkBeforeToolCalls } from '../usage/limits.ts';
import { perform } from './execute-call.ts';
import { admit } from './gate.ts';
import type { FailedOutcome, RetryOutcome } from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** Lets a tool call other tools of its run. Calls pass the gate like those of the model. */
export class ToolManager implements ToolCaller {
  readonly #scope: ExecutionScope;
  #calls = 0;

  constructor(scope: ExecutionScope) {
    this.#scope = scope;
  }

  async call(toolName: string, args: JsonObject = {}): Promise<JsonValue> {
    const scope = this.#scope;
    checkBeforeToolCalls(scope.limits, scope.usage, 1);
    const call: ToolCallPart = Object.freeze({
      kind: 'tool-call',
      toolName,
      // Not from the environment: the caller is inside a step.
      toolCallId: `${scope.runId}:${++this.#calls}`,
      args,
    });
    const admission = await admit(scope, call, scope.cancellation);
    // Not a step of its own: the caller is a tool, and so inside of one.
    const outcome = admission.kind === 'permitted' ? await perform(admission) : admission.outcome;
    if (outcome.kind === 'error') throw outcome.error;
    if (outcome.kind !== 'value') throw thrownFor(outcome);
    if (outcome.tools?.length) {
      throw new UserError(`Tool '${toolName}' reveals tools, which only a call of the model can.`);
    }
    scope.usage.addToolCall();
    return outcome.value;
  }
}

function thrownFor(outcome: RetryOutcome | FailedOutcome): Error {
  if (outcome.kind === 'failed') return new ToolFailed(outcome.message);
  const { content } = outcome;
  return new ModelRetry(typeof content === 'string' ? content : JSON.stringify(content));
}
