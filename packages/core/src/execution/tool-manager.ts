import { type CallFacts, isInsideStep } from '../context/context.ts';
import { liveEnvironment } from '../context/environment.ts';
import type { ToolCaller } from '../context/run-context.ts';
import { UserError } from '../errors/user-errors.ts';
import { sha256 } from '../internal/sha-256.ts';
import { type JsonObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { ModelRetry, ToolFailed } from '../tools/signals.ts';
import { checkBeforeToolCalls } from '../usage/usage.ts';
import { startCall } from './execute-call.ts';
import { admit } from '../gate/gate.ts';
import { sameCallText } from '../ledger/sub-agent-calls.ts';
import type { FailedOutcome, RetryOutcome } from '../outcomes/outcome.ts';
import type { ExecutionScope } from './scope.ts';

/** Executes calls that tools and hooks make to tools of their run. They pass the gate like calls of the model. */
export class ToolManager {
  readonly #scope: ExecutionScope;
  /** The number of calls so far, by caller and content. */
  readonly #counts = new Map<string, number>();
  /** The number of calls that execute now. Each counts for the limit if it succeeds. */
  #executing = 0;

  constructor(scope: ExecutionScope) {
    this.#scope = scope;
  }

  /** Returns the caller for a context. Calls that a tool makes end with its own call. */
  callerFor(caller: CallFacts): ToolCaller {
    return { call: (toolName, args) => this.#call(toolName, args ?? {}, caller) };
  }

  async #call(toolName: string, args: JsonObject, caller: CallFacts): Promise<JsonValue> {
    const scope = this.#scope;
    const callers = caller.scope === undefined ? 0 : 1;
    checkBeforeToolCalls(scope.limits, scope.usage, this.#executing + callers + 1);
    this.#executing += 1;
    try {
      const outcome = await this.#execute(toolName, args, caller);
      if (outcome.kind === 'error') throw outcome.error;
      if (outcome.kind === 'deferred' || outcome.kind === 'parked') {
        throw new UserError(
          `Tool \`${toolName}\` was deferred, and a call from another tool cannot wait for a decision or an external result. ` +
            'Let the model call it.',
        );
      }
      if (outcome.kind === 'decided') throw new ToolFailed('The call was decided before.');
      if (outcome.kind !== 'value') throw thrownFor(outcome);
      if (outcome.tools?.length) {
        throw new UserError(
          `Tool \`${toolName}\` makes other tools available, which only a call of the model can do. Let the model call it.`,
        );
      }
      const usage = (caller.scope ?? caller.request)?.usageOf(scope.usage) ?? scope.usage;
      usage.toolCalls += 1;
      return outcome.value;
    } finally {
      this.#executing -= 1;
    }
  }

  async #execute(toolName: string, given: JsonObject, caller: CallFacts) {
    const scope = this.#scope;
    const args = toFrozenJson(given, 'arguments', toolName) as JsonObject;
    const toolCallId = await this.#newId(caller, { toolName, args });
    const call: ToolCallPart = Object.freeze({ kind: 'tool-call', toolName, toolCallId, args });
    const parent = caller.scope?.cancellation ?? scope.cancellation;
    const admission = await admit(scope, { call }, parent, caller.scope);
    if (admission.kind !== 'permitted') return admission.outcome;
    // A call made inside a step is part of that step. Any other call is a separate step.
    const environment = isInsideStep(caller) ? liveEnvironment : scope.environment;
    const started = startCall(scope, admission, environment);
    const end = await admission.callState.cancellation.guard(started.end);
    return started.finish(end).outcome;
  }

  /**
   * Returns the id of a call. The id is unique in the run, and the same if its caller executes
   * again.
   *
   * It cannot come from the environment, because the caller may be inside a step. It depends on the
   * caller, because a replay does not execute every caller again. It depends on the arguments,
   * because a caller that executes again may make other calls, and these must not get the
   * idempotency key of an earlier one.
   */
  async #newId(caller: CallFacts, call: Pick<ToolCallPart, 'toolName' | 'args'>): Promise<string> {
    const digest = await sha256(JSON.stringify([this.#nameOf(caller), sameCallText(call)]));
    const name = digest.slice(0, 32);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${this.#scope.runId}:${name}:${count}`;
  }

  /** Returns a name for a caller, unique in the run and the same on replay. */
  #nameOf({ scope: caller, request, partialOutput }: CallFacts): string {
    const { runStep } = this.#scope;
    if (caller !== undefined) {
      const { call, response } = caller;
      return `call:${this.#scope.idempotencyKey(call, { response, runStep })}`;
    }
    if (request !== undefined) return `request:${runStep}`;
    return partialOutput ? `partial-output:${runStep}` : 'run';
  }
}

function thrownFor(outcome: RetryOutcome | FailedOutcome): Error {
  if (outcome.kind === 'failed') return new ToolFailed(outcome.message);
  const { content } = outcome;
  return new ModelRetry(typeof content === 'string' ? content : JSON.stringify(content));
}
