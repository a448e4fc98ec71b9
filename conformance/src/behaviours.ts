import {
  ApprovalRequired,
  CallDeferred,
  DeferredToolRequests,
  type JsonObject,
  ModelRetry,
  type RunContext,
  ToolFailed,
  ToolReturn,
} from 'holdpoint';
import { describeRequests } from './describe-deferred.ts';
import { errorOf } from './describe.ts';
import type { Behaviour, RunAgentBehaviour } from './scenario.ts';
import { Produced } from './schemas.ts';
import { SLOWDOWN } from './slowdown.ts';
import type { Stage } from './stage.ts';

/** A call that a function of the scenario handles. */
export interface Call {
  readonly args: JsonObject;
  readonly ctx: RunContext;
  readonly stage: Stage;
}

/**
 * Executes a behaviour of the scenario, and returns the result of its function.
 *
 * Returns a promise only if the behaviour sleeps or runs an agent.
 */
export function executeBehaviour(behaviour: Behaviour, call: Call): unknown {
  switch (behaviour.do) {
    case 'ok':
      return undefined;
    case 'return':
      return behaviour.value;
    case 'echo':
      return call.args;
    case 'retry':
      throw new ModelRetry(behaviour.message);
    case 'fail':
      throw new ToolFailed(behaviour.message);
    case 'throw':
      throw errorOf(behaviour.error, behaviour.message);
    case 'tool_return':
      return new ToolReturn({
        returnValue: behaviour.value,
        content: behaviour.content ?? undefined,
        metadata: behaviour.metadata ?? undefined,
        tools: behaviour.tools ?? undefined,
      });
    case 'tool_return_list':
      return behaviour.values.map((returnValue) => new ToolReturn({ returnValue }));
    case 'if_arg':
      return executeBehaviour(
        isDeepEqual(call.args[behaviour.arg], behaviour.equals) ? behaviour.then : behaviour.else,
        call,
      );
    case 'sleep':
      return sleep(behaviour.ms * SLOWDOWN, call.ctx.signal).then(() =>
        executeBehaviour(behaviour.then, call),
      );
    case 'run_agent':
      return runAgent(behaviour, call);
    case 'require_approval':
      if (!call.ctx.toolCallApproved) throw new ApprovalRequired(behaviour.metadata ?? undefined);
      return executeBehaviour(behaviour.then, call);
    case 'raise_approval':
      throw new ApprovalRequired(behaviour.metadata ?? undefined);
    case 'defer':
      throw new CallDeferred(behaviour.metadata ?? undefined);
  }
}

/**
 * Runs another agent and returns its output. If the run parks, returns or defers with its requests.
 */
export async function runAgent(
  behaviour: RunAgentBehaviour,
  { ctx, stage }: Pick<Call, 'ctx' | 'stage'>,
): Promise<unknown> {
  const output = await stage.runSubAgent(behaviour.agent, behaviour.prompt, {
    ...(behaviour.share_usage ? { usage: ctx.usage } : {}),
    ...(behaviour.pass_usage_limits ? { usageLimits: stage.usageLimits } : {}),
  });
  if (output instanceof DeferredToolRequests) {
    const requests = describeRequests(output) as JsonObject;
    if (behaviour.on_deferred === 'bubble') throw new CallDeferred({ sub: requests });
    return { sub_deferred: requests };
  }
  return output instanceof Produced ? output.value : output;
}

/** Waits. Throws if the call is cancelled. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(errorOf('CancelledError', 'The call was cancelled.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function isDeepEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
