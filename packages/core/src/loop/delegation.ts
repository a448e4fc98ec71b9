import type { Cancellation } from '../context/cancellation.ts';
import { Context, isInsideStep } from '../context/context.ts';
import { type Environment, liveEnvironment } from '../context/environment.ts';
import type { RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handlers.ts';
import { UserError } from '../errors/user-errors.ts';
import { Run } from './run.ts';
import type { EventSink, StepEvent, SubAgentEvent } from '../events/run-events.ts';
import type { RunDelegation } from './run-setup.ts';

/** Returns the delegation of a run to an agent, from a call or from a hook. */
export function delegate(ctx: RunContext, parks: boolean): RunDelegation {
  const run = Context.factsOf(ctx)?.run;
  // The type of `deps` does not matter inside a run.
  if (run instanceof Run) return { ctx: ctx as RunContext<never>, run, parks };
  throw new UserError(
    '`parent` is not the context of a run. Pass the `ctx` that a tool or a hook receives.',
  );
}

/** Returns the cancellation of the delegating call, which also cancels the sub-agent. */
export function cancellationOf({ ctx, run }: RunDelegation): Cancellation {
  return Context.factsOf(ctx)?.call.scope?.cancellation ?? run.cancellation;
}

/** Returns the environment of a sub-agent. Inside a recorded step it is live: the step records the whole sub-agent. */
export function environmentOf({ ctx, run }: RunDelegation): Environment {
  const call = Context.factsOf(ctx)?.call;
  return call !== undefined && isInsideStep(call) ? liveEnvironment : run.environment;
}

/** Returns a sink that emits the events of a sub-agent in the delegating run; `undefined` if that run omits them. */
export function outerSink({ ctx, run }: RunDelegation): EventSink | undefined {
  if (!run.setup.subAgentEvents || !run.observed) return undefined;
  const { toolName, toolCallId } = ctx;
  const path =
    toolName === undefined || toolCallId === undefined
      ? []
      : [Object.freeze({ toolName, toolCallId })];
  return (event) => run.emit(nestEvent(path, event), event.replayed === true);
}

function nestEvent(path: SubAgentEvent['path'], event: StepEvent): SubAgentEvent {
  return event.kind === 'sub-agent-event'
    ? { kind: 'sub-agent-event', path: [...path, ...event.path], event: event.event }
    : { kind: 'sub-agent-event', path, event };
}

/** The handlers of a run. Those in `chained` may leave calls pending; the last one must resolve the rest. */
interface Handlers {
  readonly chained: readonly DeferredToolHandler<never>[];
  readonly last: DeferredToolHandler<never> | undefined;
}

/**
 * Returns the handlers of the delegating run, bound to its context, for a run that cannot park. If the delegating run
 * parks with its own parent, the handlers of that parent follow.
 */
export function handlersOf(delegation: RunDelegation): Handlers {
  return delegation.parks ? { chained: [], last: undefined } : boundHandlers(delegation);
}

function boundHandlers({ ctx, run }: RunDelegation): Handlers {
  const bound =
    (handler: DeferredToolHandler<never>): DeferredToolHandler<never> =>
    (requests) =>
      handler(requests, ctx);
  const { deferredToolHandler, delegation } = run.setup;
  const chained = run.chainedHandlers.map(bound);
  if (deferredToolHandler !== undefined) return { chained, last: bound(deferredToolHandler) };
  if (!delegation?.parks) return { chained, last: undefined };
  const outer = boundHandlers(delegation);
  return { chained: [...chained, ...outer.chained], last: outer.last };
}
