import {
  ApprovalRequired,
  type JsonObject,
  ModelRetry,
  requestsCodec,
  requestsFromMessages,
  tool,
  ToolApproved,
  ToolFailed,
  UserError,
} from 'holdpoint';
import { says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AroundValidation,
  agentWith,
  inFolder,
  oneCall,
  retriesIn,
  validating,
} from '../../support/capabilities.ts';
import { expectParked, ways, workshop } from '../../support/deferral.ts';
import { recordOf } from '../../support/histories.ts';
import { rejectionOf, settled } from '../../support/latch.ts';

describe.each(ways)('arguments that a hook changed, $way', ({ messages: carry, results }) => {
  const park = async (toolName: 'remove' | 'move') => {
    const shop = workshop();
    const made = agentWith([inFolder('safe')], {
      tools: [shop.remove, shop.move],
      script: oneCall(toolName),
    });
    return { shop, ...made, parked: await expectParked(made.agent.run('Go.')) };
  };

  it.each(['remove', 'move'] as const)(
    'are in the approval request, and execute: %s',
    async (toolName) => {
      const { shop, agent, parked } = await park(toolName);
      const messages = carry(parked.messages);

      expect(parked.output.get('c').args).toEqual({ path: 'safe/a', mode: 'soft' });
      expect(requestsFromMessages(messages)?.get('c').args).toMatchObject({ path: 'safe/a' });
      const approved = results(parked.output.buildResults({ approveAll: true }));
      await agent.resume({ messages }, approved);

      expect(shop.ran()).toEqual([`${toolName} safe/a`]);
    },
  );

  it('are in the step record, next to those of the model', async () => {
    const { parked } = await park('remove');
    const response = carry(parked.messages).at(-1);

    expect(recordOf(response)?.open).toMatchObject({
      c: { kind: 'approval', details: { args: { path: 'safe/a' } } },
    });
    expect(response?.parts).toMatchObject([{ args: '{"path":"a"}' }]);
  });

  it('are replaced by the arguments that the approver edited', async () => {
    const { shop, agent, parked } = await park('remove');
    const approvals = { c: new ToolApproved({ overrideArgs: { path: 'other' } }) };

    await agent.resume(
      { messages: carry(parked.messages) },
      results(parked.output.buildResults({ approvals })),
    );

    expect(shop.ran()).toEqual(['remove other']);
  });

  it('are requested again with their current values when the run parks again', async () => {
    const { shop, parked } = await park('remove');
    const patient = agentWith([inFolder('safe')], {
      tools: [shop.remove],
      script: [says('Done.')],
    });

    // Without a prompt and results, the calls stay pending.
    const again = await expectParked(
      patient.agent.run(undefined, { messageHistory: carry(parked.messages) }),
    );

    expect(again.output.get('c').args).toEqual({ path: 'safe/a', mode: 'soft' });
    await patient.agent.resume(again, again.output.buildResults({ approveAll: true }));
    expect(shop.ran()).toEqual(['remove safe/a']);
  });

  it('cannot be changed after the approval: nothing executes', async () => {
    const { shop, parked } = await park('remove');
    const careless = validating(
      async ({ args }, next) => void (await next({ ...args, path: 'x' })),
    );
    const { agent } = agentWith([careless], { tools: [shop.remove, shop.read] });

    const error = await rejectionOf(
      agent.resume(
        { messages: carry(parked.messages) },
        results(parked.output.buildResults({ approveAll: true })),
      ),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('toolCallApproved') });
    expect(shop.ran()).toEqual([]);
  });
});

describe('requests that were stored by themselves', () => {
  it('still contain the arguments that will execute', async () => {
    const { agent } = agentWith([inFolder('safe')], {
      tools: [workshop().remove],
      script: oneCall('remove'),
    });
    const { output } = await expectParked(agent.run('Go.'));

    expect(requestsCodec.parse(requestsCodec.stringify(output)).get('c').args).toMatchObject({
      path: 'safe/a',
    });
  });
});

/**
 * A tool that needs approval and has an async schema, which is slower for some paths than for
 * others.
 */
function slowRemove() {
  const ran: string[] = [];
  const slow = tool({
    name: 'remove',
    requiresApproval: true,
    inputSchema: z.object({
      path: z.string().refine(async (path) => {
        await settled();
        if (path.startsWith('late')) await settled();
        return true;
      }),
      mode: z.string().optional(),
    }),
    execute: ({ path }) => {
      ran.push(`remove ${path}`);
    },
  });
  return { ran: () => ran, remove: slow };
}

const SENT = { path: 'a', mode: 'hard' };

describe.each([
  ['an approved call', workshop],
  ['an approved call of a tool with async validation', slowRemove],
])('%s', (_tool, makeShop) => {
  const approve = async (
    second: AroundValidation,
    args: JsonObject | string = SENT,
    edited?: JsonObject,
  ) => {
    const shop = makeShop();
    const hook = validating(async (call, next, ctx) => {
      if (ctx.toolCallApproved) await second(call, next, ctx);
      else await next(call.args);
    });
    const { agent } = agentWith([hook], {
      tools: [shop.remove],
      script: oneCall('remove', args),
    });
    const parked = await expectParked(agent.run('Go.'));
    const approvals = { c: new ToolApproved({ overrideArgs: edited }) };
    const resumed = agent.resume(parked, parked.output.buildResults({ approvals }));
    await resumed.catch(() => {});
    return { shop, resumed };
  };

  it('executes with the same arguments in another order', async () => {
    const { shop } = await approve(async (_call, next) => {
      await next({ mode: 'hard', path: 'a' });
    });

    expect(shop.ran()).toEqual(['remove a']);
  });

  it.each<[string, AroundValidation]>([
    ['passes other arguments', async (_call, next) => void (await next({ path: 'b' }))],
    ['passes fewer arguments', async (_call, next) => void (await next({ path: 'a' }))],
    [
      'passes other arguments and then throws',
      async (_call, next) => {
        await next({ path: 'b' });
        throw new ToolFailed('Never mind.');
      },
    ],
    ['does not call next', async () => {}],
    ['throws an error', () => Promise.reject(new Error('No.'))],
    ['throws ApprovalRequired', () => Promise.reject(new ApprovalRequired())],
  ])('does not execute if a hook %s', async (_what, second) => {
    const { shop } = await approve(second);

    expect(shop.ran()).toEqual([]);
  });

  it.each<[string, JsonObject | string, JsonObject | undefined]>([
    ['as an object', SENT, undefined],
    ['as text', JSON.stringify(SENT), undefined],
    ['by the approver', { path: 'other' }, SENT],
    ['by the approver, instead of text', '{"path":"other"}', SENT],
  ])(
    'does not execute with members that a hook writes into arguments that came %s',
    async (...given) => {
      const [, args, edited] = given;
      const writing: AroundValidation = async (call, next) => {
        Object.assign(call.args, { path: 'b' });
        await next(call.args);
      };

      const { shop } = await approve(writing, args, edited);

      expect(shop.ran()).toEqual([]);
    },
  );

  it('does not execute with other arguments than the approver edited', async () => {
    const { shop, resumed } = await approve(
      async ({ args }, next) => void (await next({ ...args, path: 'b' })),
      { path: 'other' },
      SENT,
    );

    expect(await rejectionOf(resumed)).toBeInstanceOf(UserError);
    expect(shop.ran()).toEqual([]);
  });

  it.each<[string, AroundValidation]>([
    [
      'passes other arguments and does not await the approved ones',
      async ({ args }, next) => {
        await next({ path: 'b' });
        void next(args);
      },
    ],
    [
      'passes other arguments concurrently, which are validated first',
      async ({ args }, next) => {
        await Promise.all([next({ path: 'b' }), next(args)]);
      },
    ],
    [
      'passes other arguments concurrently, which are validated last',
      async ({ args }, next) => {
        await Promise.all([next({ path: 'late b' }), next(args)]);
      },
    ],
  ])('executes only with the approved arguments if a hook %s', async (_what, second) => {
    const { shop } = await approve(second);

    expect(['remove a', undefined]).toContain(shop.ran()[0]);
    expect(shop.ran().length).toBeLessThan(2);
  });

  it('can be sent back by a hook', async () => {
    const { shop, resumed } = await approve(async () => {
      throw new ModelRetry('Too late.');
    });

    expect(retriesIn((await resumed).messages)).toEqual(['Too late.']);
    expect(shop.ran()).toEqual([]);
  });

  it('executes if the hook tried other arguments and returned to the approved ones', async () => {
    const { shop } = await approve(async ({ args }, next) => {
      await next({ path: 'b' });
      await next(args);
    });

    expect(shop.ran()).toEqual(['remove a']);
  });
});

describe('approval request with changed arguments', () => {
  it('contains the arguments that execute, also if an approved call defers again', async () => {
    const ran: string[] = [];
    const careful = tool({
      name: 'careful',
      inputSchema: z.object({ path: z.string() }),
      execute({ path }, ctx) {
        if (ctx.toolCallMetadata === undefined) throw new ApprovalRequired();
        ran.push(path);
      },
    });
    const { agent } = agentWith([inFolder('safe')], {
      tools: [careful],
      script: oneCall('careful'),
    });
    const first = await expectParked(agent.run('Go.'));
    const second = await expectParked(
      agent.resume(
        first,
        first.output.buildResults({
          approvals: { c: new ToolApproved({ overrideArgs: { path: 'other' } }) },
        }),
      ),
    );
    const requestedArgs = second.output.get('c').args as { path: string };

    await agent.resume(
      second,
      second.output.buildResults({ approveAll: true, metadata: { c: { sure: true } } }),
    );

    expect(ran).toEqual([requestedArgs.path]);
  });

  it.each<[string, AroundValidation]>([
    [
      'calls next several times at once',
      async (_call, next) => {
        await Promise.all([next({ path: 'late' }), next({ path: 'early' })]);
      },
    ],
    [
      'does not wait for its last next',
      async ({ args }, next) => {
        await next(args);
        void next({ path: 'other' });
      },
    ],
  ])('contains the arguments that execute, also if a hook %s', async (_what, first) => {
    const { ran, remove } = slowRemove();
    const odd = validating(async (call, next, ctx) => {
      if (ctx.toolCallApproved) await next(call.args);
      else await first(call, next, ctx);
    });
    const { agent } = agentWith([odd], { tools: [remove], script: oneCall('remove') });

    const parked = await expectParked(agent.run('Go.'));
    const requestedArgs = parked.output.get('c').args as { path: string };
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(ran()).toEqual([`remove ${requestedArgs.path}`]);
  });

  it.each(['object', 'text'])(
    'excludes members that a hook writes into arguments that came as %s',
    async (kind) => {
      const shop = workshop();
      const writing = validating(async ({ args }, next, ctx) => {
        if (!ctx.toolCallApproved) Object.assign(args, { path: 'b' });
        await next(args);
      });
      const sent = kind === 'text' ? '{"path":"a"}' : { path: 'a' };
      const { agent } = agentWith([writing], {
        tools: [shop.remove],
        script: oneCall('remove', sent),
      });

      expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(TypeError);
    },
  );

  it('depends on a policy that receives the changed arguments', async () => {
    const shop = workshop();
    const { agent } = agentWith([inFolder('protected')], {
      tools: [shop.read],
      script: oneCall('read'),
      approvalPolicy: (_ctx, _definition, args) =>
        (args as { path: string }).path.startsWith('protected/'),
    });

    const parked = await expectParked(agent.run('Go.'));

    expect(parked.output.get('c').args).toMatchObject({ path: 'protected/a' });
    expect(shop.ran()).toEqual([]);
  });
});
