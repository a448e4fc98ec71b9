import { Agent, type RunContext, type RunResult, tool } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const model = scriptedModel();

describe('an agent with inline tools', () => {
  it('runs without options when its tools need no deps', () => {
    const list = new Agent({ model, tools: [tool({ name: 'ping', execute: () => 'pong' })] });
    const record = new Agent({
      model,
      tools: {
        read: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => path }),
      },
    });

    expectTypeOf(() => list.run('Go.')).returns.resolves.toEqualTypeOf<RunResult<string>>();
    expectTypeOf(() => record.run('Go.')).returns.resolves.toEqualTypeOf<RunResult<string>>();
  });

  it('needs the deps of its tools', () => {
    const agent = new Agent({
      model,
      tools: { root: tool({ execute: (_, ctx: RunContext<{ root: string }>) => ctx.deps.root }) },
    });

    expectTypeOf(() => agent.run('Go.', { deps: { root: '/' } })).toBeFunction();
    // @ts-expect-error: the tool needs deps
    expectTypeOf(() => agent.run('Go.')).toBeFunction();
  });
});
