import { describe, expectTypeOf, it } from 'vitest';
import { decideByRules } from './decide-by-rules.ts';
import { type DeferredToolHandler, approveAll, chainHandlers, denyAll } from './handlers.ts';

declare const forUser: DeferredToolHandler<{ user: string }>;
declare const forTeam: DeferredToolHandler<{ user: string; team: string }>;

describe('handlers', () => {
  it('need the deps of all of them together', () => {
    expectTypeOf(chainHandlers(approveAll(), denyAll())).toEqualTypeOf<DeferredToolHandler>();
    expectTypeOf(chainHandlers(forUser, approveAll())).toEqualTypeOf<
      DeferredToolHandler<{ user: string }>
    >();
    expectTypeOf(chainHandlers(forUser, forTeam)).toEqualTypeOf<
      DeferredToolHandler<{ user: string; team: string }>
    >();
  });

  it('of rules need the deps of their functions', () => {
    const handler = decideByRules<{ user: string }>([
      { tool: 'remove', decision: (_call, _args, ctx) => ctx.deps.user === 'ada' },
    ]);

    expectTypeOf(handler).toEqualTypeOf<DeferredToolHandler<{ user: string }>>();
    // @ts-expect-error: a function that picks calls cannot be async
    decideByRules([{ tool: async () => true, decision: true }]);
    // @ts-expect-error: a rule needs a decision
    decideByRules([{ tool: 'remove' }]);
  });
});
