import type { Cancellation } from '../context/cancellation.ts';
import { isInsideStep } from '../context/call-state.ts';
import { Context } from '../context/context.ts';
import { type Environment, liveEnvironment } from '../context/environment.ts';
import type { RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import { UserError } from '../errors/user-errors.ts';
import { Run } from './run.ts';
import type { RunDelegation } from './run-setup.ts';

/** A run hands work to an agent, from a call of it or from a hook. */
export function delegate(ctx: RunContext, parks: boolean): RunDelegation {
  const run = Context.factsOf(ctx)?.run;
  // Inside of a run nobody looks at the type of its deps.
  if (run instanceof Run) return { ctx: ctx as RunContext<never>, run, parks };
  throw new UserError(
    'parent is not the context of a run. Give the ctx that a tool or a hook gets.',
  );
}

/** What cancels the work that is handed over: whatever cancels the call that hands it over. */
export function cancellationOf({ ctx, run }: RunDelegation): Cancellation {
  return Context.factsOf(ctx)?.call.scope?.cancellation ?? run.cancellation;
}

/** What is executed inside of a step is recorded with it, and not step by step. */
export function environmentOf({ ctx, run }: RunDelegation): Environment {
  const call = Context.factsOf(ctx)?.call;
  return call !== undefined && isInsideStep(call) ? liveEnvironment : run.environment;
}

/** Handlers that a run asks: some may leave calls open, the last one must answer what is left. */
interface Handlers {
  readonly chained: readonly DeferredToolHandler<never>[];
  readonly last: DeferredToolHandler<never> | undefined;
}

const NO_HANDLERS: Handlers = { chained: [], last: undefined };

/**
 * The handlers of the delegating run, for a run that cannot wait: they are given the context that they
 * know. A run that waits with its own parent would have asked those of that one.
 */
export function handlersOf(delegation: RunDelegation | undefined): Handlers {
  return delegation === undefined || delegation.parks ? NO_HANDLERS : boundHandlers(delegation);
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
