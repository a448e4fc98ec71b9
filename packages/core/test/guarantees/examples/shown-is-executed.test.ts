import {
  DeferredToolResults,
  messageCodec,
  requestsFromMessages,
  type StandardSchema,
  type Tool,
  tool,
  ToolApproved,
  UserError,
} from 'holdpoint';
import type { CallToVerify } from 'holdpoint/deferral';
import { calls, responds } from 'holdpoint/testing';
import * as v from 'valibot';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { type Guard, probeAgent, stored, unguarded, withDigests, withLedger } from './probe.ts';

/** A tool `pay` with this schema, and the arguments of its executions. */
function payment(inputSchema: StandardSchema) {
  const paid: unknown[] = [];
  const pay = tool({
    name: 'pay',
    requiresApproval: true,
    inputSchema,
    execute: (args) => {
      paid.push(args);
      return 'paid';
    },
  });
  return { paid, tools: [pay] as readonly Tool[] };
}

/** The three ways in which validation returns another value for the same input. */
const VARIANTS = [
  {
    variant: 'a default changed by a deployment',
    schema: (state: { price: number }) => {
      const { price } = state;
      return z.object({ to: z.string(), amount: z.number().default(price) });
    },
  },
  {
    variant: 'a computed default',
    schema: (state: { price: number }) =>
      z.object({ to: z.string(), amount: z.number().default(() => state.price) }),
  },
  {
    variant: 'a transform that looks something up',
    schema: (state: { price: number }) =>
      z.object({ to: z.string().transform((to) => ({ to, amount: state.price })) }),
  },
];

const GUARDS = [unguarded, withDigests, withLedger];

describe.each(VARIANTS)('$variant', ({ schema }) => {
  it.each(GUARDS)('never executes a value that the approver did not see, $guard', async (guard) => {
    const state = { price: 10 };
    const first = payment(schema(state));
    const options = guard.options();
    const call = calls('pay', '{"to":"acme"}', { id: 'p' });
    const parked = await expectParked(
      probeAgent([call], { tools: first.tools, ...options }).run('Go.'),
    );
    const shown = parked.output.get('p').args;

    state.price = 1000;
    const second = payment(schema(state));
    const agent = probeAgent([call], { tools: second.tools, ...options });
    let result = await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approveAll: true }),
    );
    let lastShown = shown;
    let requests = 0;
    while (result.status === 'parked') {
      requests += 1;
      expect(requests).toBeLessThan(3);
      lastShown = result.output.get('p').args;
      expect(result.output.get('p').details).toMatchObject({ drifted: true });
      state.price += 1;
      const results = result.output.buildResults({ approveAll: true });
      result = await agent.resume(stored(result.messages), results);
    }

    expect(first.paid).toEqual([]);
    expect(second.paid).toEqual([lastShown]);
  });

  it('is shown to approvers who read the requests back from JSON', async () => {
    const { tools } = payment(schema({ price: 10 }));
    const parked = await expectParked(
      probeAgent([calls('pay', { to: 'acme' }, { id: 'p' })], { tools }).run('Go.'),
    );

    const requests = requestsFromMessages(
      messageCodec.parse(messageCodec.stringify(parked.messages)),
    );

    expect(requests?.get('p').args).toEqual(parked.output.get('p').args);
    expect(requests?.get('p').args).not.toEqual({ to: 'acme' });
  });
});

describe('a list with values that JSON does not hold', () => {
  it('is shown with all of its places', async () => {
    const schema = z.object({ to: z.array(z.string()).transform((to) => [...to, undefined]) });
    const { paid, tools } = payment(schema);
    const agent = probeAgent([calls('pay', { to: ['acme'] }, { id: 'p' })], { tools });
    const parked = await expectParked(agent.run('Go.'));
    const results = parked.output.buildResults({ approveAll: true });

    expect(parked.output.get('p').details.validatedArgs).toEqual({ to: ['acme', null] });
    await agent.resume(stored(parked.messages), results);

    expect(paid).toEqual([{ to: ['acme', undefined] }]);
  });
});

describe('a decision about a call that drifted', () => {
  it('must name the digest of the new request', async () => {
    const state = { price: 10 };
    const { paid, tools } = payment(
      z.object({ to: z.string(), amount: z.number().default(() => state.price++) }),
    );
    const agent = probeAgent([calls('pay', { to: 'acme' }, { id: 'p' })], { tools });
    const parked = await expectParked(agent.run('Go.'));
    const byHand = new DeferredToolResults({ approvals: { p: true } });
    const again = await expectParked(agent.resume(stored(parked.messages), byHand));

    const error = await rejectionOf(agent.resume(stored(again.messages), byHand));

    expect(String(error)).toContain('buildResults');
    expect(paid).toEqual([]);
  });
});

describe('an edit', () => {
  const buying = (guard: Guard) => {
    const state = { price: 10 };
    const paid: unknown[] = [];
    const pay = tool({
      name: 'pay',
      requiresApproval: true,
      inputSchema: z.object({ item: z.string(), note: z.string() }),
      preview: ({ item }) => `${item} costs ${state.price} euros`,
      execute: (args) => void paid.push(args),
    });
    const call = calls('pay', { item: 'lamp', note: '' }, { id: 'p' });
    const agent = probeAgent([call], { tools: [pay], ...guard.options() });
    return { state, agent, paid };
  };
  const edit = { item: 'lamp', note: 'blue' };

  it.each(GUARDS)('does not turn off drift detection for the preview, $guard', async (guard) => {
    const { state, agent, paid } = buying(guard);
    const parked = await expectParked(agent.run('Go.'));
    const approvals = { p: new ToolApproved({ overrideArgs: edit }) };

    state.price = 1000;
    const again = await expectParked(
      agent.resume(stored(parked.messages), parked.output.buildResults({ approvals })),
    );

    expect(paid).toEqual([]);
    expect(again.output.get('p').args).toEqual(edit);
    expect(again.output.get('p').details).toMatchObject({
      drifted: true,
      preview: 'lamp costs 1000 euros',
    });

    await agent.resume(stored(again.messages), again.output.buildResults({ approveAll: true }));
    expect(paid).toEqual([edit]);
  });

  it.each(GUARDS)('executes if it is what the approver was shown for it, $guard', async (guard) => {
    const { agent, paid } = buying(guard);
    const parked = await expectParked(agent.run('Go.'));
    const checked = await parked.output.checkEdit('p', edit);
    if (!checked?.ok) throw new Error('The edit is valid.');
    const { args, preview } = checked;
    const approvals = { p: new ToolApproved({ overrideArgs: edit, shown: { args, preview } }) };

    await agent.resume(stored(parked.messages), parked.output.buildResults({ approvals }));

    expect(preview).toBe('lamp costs 10 euros');
    expect(paid).toEqual([edit]);
  });

  it.each(GUARDS)('is requested again if its own preview changed since, $guard', async (guard) => {
    const { state, agent, paid } = buying(guard);
    const parked = await expectParked(agent.run('Go.'));
    const checked = await parked.output.checkEdit('p', edit);
    if (!checked?.ok) throw new Error('The edit is valid.');
    const { args, preview } = checked;
    const approvals = { p: new ToolApproved({ overrideArgs: edit, shown: { args, preview } }) };

    state.price = 11;
    await expectParked(
      agent.resume(stored(parked.messages), parked.output.buildResults({ approvals })),
    );

    expect(paid).toEqual([]);
  });

  it.each(GUARDS)(
    'with a transform executes if the approver confirmed its values, $guard',
    async (guard) => {
      const { paid, tools } = payment(
        z.object({ thousands: z.number().transform((count) => count * 1000) }),
      );
      const call = calls('pay', { thousands: 1 }, { id: 'p' });
      const agent = probeAgent([call], { tools, ...guard.options() });
      const parked = await expectParked(agent.run('Go.'));
      const shown = { args: { thousands: 9000 } };
      const approvals = { p: new ToolApproved({ overrideArgs: { thousands: 9 }, shown }) };

      await agent.resume(stored(parked.messages), parked.output.buildResults({ approvals }));

      expect(paid).toEqual([{ thousands: 9000 }]);
    },
  );

  it.each(GUARDS)(
    'is requested again if the approver confirmed another value, $guard',
    async (guard) => {
      const { paid, tools } = payment(z.object({ to: z.string(), amount: z.number().default(10) }));
      const call = calls('pay', { to: 'acme' }, { id: 'p' });
      const agent = probeAgent([call], { tools, ...guard.options() });
      const parked = await expectParked(agent.run('Go.'));
      const shown = { args: { to: 'acme', amount: 3 } };
      const approvals = { p: new ToolApproved({ overrideArgs: { to: 'acme' }, shown }) };

      await expectParked(
        agent.resume(stored(parked.messages), parked.output.buildResults({ approvals })),
      );

      expect(paid).toEqual([]);
    },
  );

  it('is requested again if the decision shows other arguments, with a tool whose input is shown', async () => {
    const booked: unknown[] = [];
    const book = tool({
      name: 'book',
      requiresApproval: true,
      approversSee: 'input',
      inputSchema: z.object({ euros: z.number(), on: z.string().transform((on) => new Date(on)) }),
      execute: ({ euros }) => void booked.push(euros),
    });
    const call = calls('book', { euros: 5, on: '2026-11-15' }, { id: 'b' });
    const agent = probeAgent([call], { tools: [book] });
    const parked = await expectParked(agent.run('Go.'));
    const overrideArgs = { euros: 45_000, on: '2026-11-15' };
    const decided = (shown: { args: { euros: number; on: string } }) =>
      parked.output.buildResults({ approvals: { b: new ToolApproved({ overrideArgs, shown }) } });

    const again = await agent.resume(parked, decided({ args: { euros: 20, on: '2026-11-15' } }));

    expect(again.status).toBe('parked');
    expect(booked).toEqual([]);
    await agent.resume(parked, decided({ args: overrideArgs }));
    expect(booked).toEqual([45_000]);
  });

  it('with a transform is requested again if the approver saw neither typed nor shown values', async () => {
    const { paid, tools } = payment(
      z.object({ thousands: z.number().transform((count) => count * 1000) }),
    );
    const agent = probeAgent([calls('pay', { thousands: 1 }, { id: 'p' })], { tools });
    const parked = await expectParked(agent.run('Go.'));
    const approvals = { p: new ToolApproved({ overrideArgs: { thousands: 9 } }) };

    const again = await expectParked(
      agent.resume(parked, parked.output.buildResults({ approvals })),
    );

    expect(paid).toEqual([]);
    expect(again.output.get('p').args).toEqual({ thousands: 9000 });
    await agent.resume(again, again.output.buildResults({ approveAll: true }));
    expect(paid).toEqual([{ thousands: 9000 }]);
  });
});

describe('arguments whose members the model sent in another order than the schema has', () => {
  it.each(GUARDS)(
    'execute after one approval if the preview shows the order, $guard',
    async (guard) => {
      const paid: string[] = [];
      const pay = tool({
        name: 'pay',
        requiresApproval: true,
        inputSchema: z.object({ to: z.string(), amount: z.number() }),
        preview: (args) => JSON.stringify(args),
        execute: (args) => void paid.push(JSON.stringify(args)),
      });
      const call = calls('pay', { amount: 5, to: 'acme' }, { id: 'p' });
      const agent = probeAgent([call], { tools: [pay], ...guard.options() });
      const parked = await expectParked(agent.run('Go.'));
      const { preview } = parked.output.get('p').details;

      const approved = parked.output.buildResults({ approveAll: true });
      await agent.resume(stored(parked.messages), approved);

      expect(paid).toEqual([preview]);
    },
  );
});

describe('values that JSON cannot hold', () => {
  it('are rejected with a schema library that accepts Infinity', async () => {
    const paid: unknown[] = [];
    const pay = tool({
      name: 'pay',
      requiresApproval: true,
      inputSchema: toStandardJsonSchema(v.object({ euros: v.number() })),
      execute: (args) => void paid.push(args),
    });
    const agent = probeAgent([calls('pay', '{"euros":1e400}', { id: 'p' })], { tools: [pay] });

    const { status, messages } = await agent.run('Go.');

    expect(status).toBe('finished');
    expect(resultsIn(messages)[0]).toBe('retry pay');
    expect(paid).toEqual([]);
  });

  it('are rejected if a transform produces them', async () => {
    const { paid, tools } = payment(
      z.object({ euros: z.number().transform((euros) => euros / 0) }),
    );
    const agent = probeAgent([calls('pay', { euros: 1 }, { id: 'p' })], { tools });

    const { status, messages } = await agent.run('Go.');

    expect(status).toBe('finished');
    expect(resultsIn(messages)[0]).toBe('retry pay');
    expect(paid).toEqual([]);
  });

  it('are rejected in arguments that are objects already', async () => {
    const { paid, tools } = payment(z.object({ euros: z.any() }));
    const args = { euros: Number.POSITIVE_INFINITY };
    const call = { kind: 'tool-call', toolName: 'pay', args, toolCallId: 'p' } as const;
    const agent = probeAgent([responds(call)], { tools });

    const { status } = await agent.run('Go.');

    expect(status).toBe('finished');
    expect(paid).toEqual([]);
  });
});

describe('a validated value that an approver cannot be shown', () => {
  it.each<[string, () => object]>([
    ['a member whose name is a symbol', () => ({ euros: 1, [Symbol('fee')]: 1_000 })],
    [
      'too many levels',
      () => {
        const euros: { self?: object } = {};
        euros.self = euros;
        return euros;
      },
    ],
  ])('is an error, and nothing executes: %s', async (what, make) => {
    const { paid, tools } = payment(z.object({ euros: z.number() }).transform(make));
    const agent = probeAgent([calls('pay', { euros: 1 }, { id: 'p' })], { tools });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain(what);
    expect(paid).toEqual([]);
  });
});

describe('a validated value without a JSON form', () => {
  const meeting = (approversSee?: 'input') => {
    const met: unknown[] = [];
    const meet = tool({
      name: 'meet',
      requiresApproval: true,
      approversSee,
      inputSchema: z.object({ on: z.string().transform((day) => new Date(day)) }),
      execute: ({ on }) => void met.push(on),
    });
    const call = calls('meet', { on: '2026-11-15' }, { id: 'm' });
    return { met, agent: probeAgent([call], { tools: [meet], durability: { digests: true } }) };
  };

  it('is an error that names the option of the tool', async () => {
    const { agent } = meeting();

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain("Set `approversSee: 'input'`");
    expect(String(error)).toContain('a Date at `args.on`');
  });

  it('is shown and bound as it was sent, if the tool opts in', async () => {
    const { met, agent } = meeting('input');
    const parked = await expectParked(agent.run('Go.'));

    expect(parked.output.get('m').details).toMatchObject({ inputOnly: true });
    await agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));

    expect(met).toEqual([new Date('2026-11-15')]);
  });
});

describe('verifyApproval', () => {
  const verifying = (verifyApproval: (call: CallToVerify) => boolean | Promise<boolean>) => {
    const { paid, tools } = payment(z.object({ to: z.string(), amount: z.number().default(5) }));
    const call = calls('pay', { to: 'acme' }, { id: 'p' });
    return { paid, agent: probeAgent([call], { tools, verifyApproval }) };
  };

  it('receives the validated arguments that will execute', async () => {
    const seen: CallToVerify[] = [];
    const { paid, agent } = verifying((call) => seen.push(call) > 0);
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(seen).toMatchObject([
      { key: 'p', toolName: 'pay', args: { to: 'acme', amount: 5 }, sentArgs: { to: 'acme' } },
    ]);
    expect(paid).toHaveLength(1);
  });

  it('requests the call again if it returns false', async () => {
    const { paid, agent } = verifying(() => false);
    const parked = await expectParked(agent.run('Go.'));

    await expectParked(agent.resume(parked, parked.output.buildResults({ approveAll: true })));

    expect(paid).toEqual([]);
  });

  it.each([undefined, 'yes', 1, {}])('rejects the call if it returns %s', async (value) => {
    // As in JavaScript, which has no types.
    const { paid, agent } = verifying(() => value as unknown as boolean);
    const parked = await expectParked(agent.run('Go.'));

    const error = await rejectionOf(
      agent.resume(parked, parked.output.buildResults({ approveAll: true })),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(paid).toEqual([]);
  });
});

describe('a call of a sub-agent', () => {
  it.each(GUARDS)('executes only with the value that was shown, $guard', async (guard) => {
    const state = { price: 10 };
    const { paid, tools } = payment(
      z.object({ to: z.string(), amount: z.number().default(() => state.price) }),
    );
    const seen: CallToVerify[] = [];
    const sub = subAgent([calls('pay', { to: 'acme' }, { id: 'p' })], { tools });
    const agent = probeAgent([calls('sub', { prompt: 'Pay.' }, { id: 's' })], {
      tools: [sub.asTool()],
      verifyApproval: (call) => seen.push(call) > 0,
      ...guard.options(),
    });
    let parked = await expectParked(agent.run('Go.'));
    const shown = [parked.output.get('s/p').args];

    for (;;) {
      state.price += 100;
      const results = parked.output.buildResults({ approveAll: true });
      const result = await agent.resume(stored(parked.messages), results);
      if (result.status !== 'parked') break;
      expect(paid).toEqual([]);
      parked = result;
      shown.push(parked.output.get('s/p').args);
      expect(shown.length).toBeLessThan(4);
    }

    expect(paid).toEqual([shown.at(-1)]);
    expect(seen.at(-1)).toMatchObject({ key: 's/p', args: shown.at(-1) });
  });
});

describe('a handler that approves inline', () => {
  it('has the call execute with the value that the handler was shown', async () => {
    const state = { price: 10 };
    const { paid, tools } = payment(
      z.object({ to: z.string(), amount: z.number().default(() => state.price) }),
    );
    const agent = probeAgent([calls('pay', { to: 'acme' }, { id: 'p' })], { tools });
    let shown: unknown;

    const { status } = await agent.run('Go.', {
      deferredToolHandler(requests) {
        shown = requests.get('p').args;
        state.price = 1000;
        return requests.buildResults({ approveAll: true });
      },
    });

    expect(status).toBe('finished');
    expect(paid).toEqual([shown]);
    expect(shown).toEqual({ to: 'acme', amount: 10 });
  });
});
