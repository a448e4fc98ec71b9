import type { CallScope } from '../context/call-scope.ts';
import { liveEnvironment } from '../context/environment.ts';
import type { ToolCaller } from '../context/run-context.ts';
import { UserError } from '../errors/user-error.ts';
import { type JsonObject, type JsonValue, toFrozenJson } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ModelRetry, ToolFailed } from '../tools/signals.ts';
import { checkBeforeToolCalls } from '../usage/limits.ts';
import { concludeCall, startCall } from './execute-call.ts';
import { admit } from './gate.ts';
import type { FailedOutcome, RetryOutcome } from './outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** Lets tools call other tools of their run. Calls pass the gate like those of the model. */
export class ToolManager {
  readonly #scope: ExecutionScope;
  #calls = 0;
  /** Calls that run, each of which will count if it succeeds. */
  #running = 0;

  constructor(scope: ExecutionScope) {
    this.#scope = scope;
  }

  /** What a tool uses to call others; its calls end with its own. */
  callerFor(caller: CallScope | undefined): ToolCaller {
    return { call: (toolName, args) => this.#call(toolName, args ?? {}, caller) };
  }

  async #call(
    toolName: string,
    args: JsonObject,
    caller: CallScope | undefined,
  ): Promise<JsonValue> {
    const scope = this.#scope;
    const callers = caller === undefined ? 0 : 1;
    checkBeforeToolCalls(scope.limits, scope.usage, this.#running + callers + 1);
    this.#running += 1;
    try {
      const outcome = await this.#execute(toolName, args, caller);
      if (outcome.kind === 'error') throw outcome.error;
      if (outcome.kind === 'deferred' || outcome.kind === 'parked') {
        throw new UserError(
          `Tool '${toolName}' needs an answer from outside, which a call from another tool cannot wait for. ` +
            'Let the model call it.',
        );
      }
      if (outcome.kind === 'answered') throw new ToolFailed('The call was answered before.');
      if (outcome.kind !== 'value') throw thrownFor(outcome);
      if (outcome.tools?.length) {
        throw new UserError(
          `Tool '${toolName}' reveals tools, which only a call of the model can. Let the model call it.`,
        );
      }
      (caller?.usageOf(scope.usage) ?? scope.usage).addToolCall();
      return outcome.value;
    } finally {
      this.#running -= 1;
    }
  }

  async #execute(toolName: string, args: JsonObject, caller: CallScope | undefined) {
    const scope = this.#scope;
    const call: ToolCallPart = Object.freeze({
      kind: 'tool-call',
      toolName,
      // Not from the environment: the caller is inside a step.
      toolCallId: `${scope.runId}:${++this.#calls}`,
      args: toFrozenJson(args, 'arguments', toolName) as JsonObject,
    });
    const parent = caller?.cancellation ?? scope.cancellation;
    const admission = await admit(scope, { call }, parent, caller);
    if (admission.kind !== 'permitted') return admission.outcome;
    // Not a step of its own either.
    const running = startCall(scope, admission, liveEnvironment);
    const end = await admission.scope.cancellation.guard(running);
    return concludeCall(scope, admission, end, liveEnvironment);
  }
}

function thrownFor(outcome: RetryOutcome | FailedOutcome): Error {
  if (outcome.kind === 'failed') return new ToolFailed(outcome.message);
  const { content } = outcome;
  return new ModelRetry(typeof content === 'string' ? content : JSON.stringify(content));
}
