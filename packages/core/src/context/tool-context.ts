import { UserError } from '../errors/user-errors.ts';
import type { RunContext, ToolContext } from './run-context.ts';

/** Returns the context of a tool call as one; throws if the context does not belong to a call. */
export function toolContextOf<Deps>(ctx: RunContext<Deps>): ToolContext<Deps> {
  if (ctx.toolCallId === undefined) {
    throw new UserError(
      'A tool got a context without a tool call, so it has no `toolCallId` and no `idempotencyKey`. ' +
        'Pass the context that the toolset received; do not copy it with `{ ...ctx }`.',
    );
  }
  // With a call id, the context also has a tool name and an idempotency key.
  return ctx as ToolContext<Deps>;
}
