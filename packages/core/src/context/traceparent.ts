import { Context } from './context.ts';
import type { RunContext } from './run-context.ts';

const traceparents = new WeakMap<object, string>();

/** Sets the trace context of the call that a context belongs to, or else of its run, in the W3C format. */
export function setTraceparent(ctx: RunContext, traceparent: string): void {
  const facts = Context.factsOf(ctx);
  if (facts !== undefined) traceparents.set(facts.call.scope ?? facts.run, traceparent);
}

/** Returns the trace context of a call or, outside of a call, of the run; `undefined` if it is not traced. */
export function traceparentOf(ctx: RunContext): string | undefined {
  const facts = Context.factsOf(ctx);
  return facts && traceparents.get(facts.call.scope ?? facts.run);
}
