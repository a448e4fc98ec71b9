import { inspect } from 'node:util';
import {
  Agent,
  CallDeferred,
  type DecisionEntry,
  DeferredToolRequests,
  DeferredToolResults,
  requestsCodec,
  resultsCodec,
  tool,
  ToolApproved,
  type ToolContext,
  ToolExpired,
  ToolSuperseded,
  UserError,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { present } from '../../support/present.ts';
import { untyped } from '../../support/untyped.ts';

function shop() {
  const paid: { readonly euros: number; readonly approval: unknown }[] = [];
  const contexts: ToolContext[] = [];
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ euros: z.number(), currency: z.string().default('EUR') }),
    requiresApproval: true,
    preview: ({ euros }) => `Pays ${euros}`,
    execute({ euros }, ctx) {
      paid.push({ euros, approval: ctx.approval });
      contexts.push(ctx);
      return 'paid';
    },
  });
  const ship = tool({
    name: 'ship',
    inputSchema: z.object({ to: z.string() }),
    execute(): string {
      throw new CallDeferred();
    },
  });
  const model = scriptedModel(
    responds(calls('ship', { to: 'Oslo' }, { id: 's' }), calls('pay', { euros: 5 }, { id: 'p' })),
    says('Done.'),
  );
  const output = [String, DeferredToolRequests] as const;
  return { agent: new Agent({ model, tools: [pay, ship], output }), pay, ship, paid, contexts };
}

describe('pending calls', () => {
  it('are iterated with approvals first, and have the data of the call', async () => {
    const { agent } = shop();
    const { output } = await expectParked(agent.run('Go.', { durability: { digests: true } }));

    const [pay, ship] = output;

    expect(output.size).toBe(2);
    expect(pay).toMatchObject({ kind: 'approval', toolName: 'pay', toolCallId: 'p', key: 'p' });
    expect(pay).toMatchObject({ path: [], metadata: undefined });
    expect(pay?.args).toEqual({ euros: 5, currency: 'EUR' });
    expect(pay?.preview).toBe('Pays 5');
    expect(pay?.digest).toBe(output.details['p']?.digest);
    expect(pay?.definition?.name).toBe('pay');
    expect([pay?.inDoubt, pay?.drifted, pay?.deniedBefore]).toEqual([undefined, false, false]);
    expect(ship).toMatchObject({ kind: 'external', toolName: 'ship', key: 's' });
    expect(pay?.part).toBe(output.approvals[0]);
    expect(ship?.part).toBe(output.calls[0]);
  });

  it('are the same after JSON, with recorded arguments and without definitions', async () => {
    const { agent } = shop();
    const { output } = await expectParked(agent.run('Go.'));

    const loaded = requestsCodec.parse(requestsCodec.stringify(output));

    expect([...loaded]).toEqual([...output]);
    expect(loaded.get('p').args).toEqual({ euros: 5, currency: 'EUR' });
    expect(loaded.get('p').definition).toBeUndefined();
  });

  it('have typed arguments after `is`', async () => {
    const { agent, pay, ship } = shop();
    const { output } = await expectParked(agent.run('Go.'));

    const call = output.get('p');
    expect(call.is(ship)).toBe(false);
    if (!call.is(pay)) throw new Error('The call is to `pay`.');
    expectTypeOf(call.args.euros).toEqualTypeOf<number>();
    expect(call.args.euros).toBe(5);
  });

  it('build results that resume the run', async () => {
    const { agent, paid } = shop();
    const parked = await expectParked(agent.run('Go.', { durability: { digests: true } }));
    const decisions: DecisionEntry[] = [];
    for (const call of parked.output) {
      decisions.push(call.kind === 'approval' ? call.approve() : call.resolve('shipped'));
    }

    const results = parked.output.buildResults(decisions);
    const done = await agent.resume(parked, results);

    expect(done.output).toBe('Done.');
    expect(results.digests['p']).toBe(parked.output.get('p').digest);
    expect(results).toEqual(DeferredToolResults.of(decisions));
    expect(paid).toEqual([{ euros: 5, approval: undefined }]);
  });

  it('can be denied, and retried by the model', async () => {
    const { agent, paid } = shop();
    const parked = await expectParked(agent.run('Go.'));
    const { output } = parked;

    const results = [output.get('p').deny('Too much.'), output.get('s').retry('Which street?')];
    const { messages } = await agent.resume(parked, output.buildResults(results));

    expect(messages.at(-2)?.parts).toMatchObject([
      { toolCallId: 's', kind: 'retry-prompt', content: 'Which street?' },
      { toolCallId: 'p', outcome: 'denied', content: 'Too much.' },
    ]);
    expect(paid).toEqual([]);
  });

  it('execute an edit only as it was shown', async () => {
    for (const preview of ['Pays 4', 'Pays 3']) {
      const { agent, paid } = shop();
      const parked = await expectParked(agent.run('Go.'));
      const pay = parked.output.get('p');
      const shown = await pay.checkEdit({ euros: 4 });
      if (!shown?.ok) throw new Error('The edit is valid.');
      const edited = pay.approve({ args: { euros: 4 }, shown: { args: shown.args, preview } });

      const results = parked.output.buildResults([edited, parked.output.get('s').resolve(1)]);
      const { status } = await agent.resume(parked, results);

      const isAsShown = preview === 'Pays 4';
      expect(status).toBe(isAsShown ? 'finished' : 'parked');
      expect(paid.map(({ euros }) => euros)).toEqual(isAsShown ? [4] : []);
    }
  });

  it('reject decisions of the other kind, unknown keys and two decisions', async () => {
    const { agent } = shop();
    const { output } = await expectParked(agent.run('Go.'));
    const [pay, ship] = [output.get('p'), output.get('s')];
    const other = new DeferredToolRequests({
      approvals: [{ kind: 'tool-call', toolName: 'pay', args: '{}', toolCallId: 'x' }],
    });

    expect(() => ship.approve()).toThrow(UserError);
    expect(() => ship.deny()).toThrow(/Call `resolve`/);
    expect(() => pay.resolve('paid')).toThrow(/Call `approve`, `deny` or `retry`/);
    expect(() => pay.approve(untyped({ euros: 1 }))).toThrow(/`args: \{ euros: … \}`/);
    expect(() => output.buildResults([other.get('x').approve()])).toThrow(/'x'/);
    expect(() => output.buildResults([pay.approve(), pay.deny()])).toThrow(/two decisions/);
    expect(() => output.get('x')).toThrow(/No pending call has the key `x`/);
    expect(output.find('x')).toBeUndefined();
  });

  it('are printed with what would be approved', async () => {
    const { agent } = shop();
    const { output } = await expectParked(agent.run('Go.'));

    expect(`${output}`).toBe(
      'approval pay {"euros":5,"currency":"EUR"} (p)\nexternal ship {"to":"Oslo"} (s)',
    );
    expect(inspect(output.get('p'))).toContain("args: { euros: 5, currency: 'EUR' }");
  });
});

describe('the reason of an approval', () => {
  it.each([
    ['as it is', (results: DeferredToolResults) => results],
    [
      'through JSON',
      (results: DeferredToolResults) => resultsCodec.parse(resultsCodec.stringify(results)),
    ],
  ])('is in `ctx.approval` of the tool, beside the approvers: %s', async (_, travel) => {
    const { agent, paid } = shop();
    const parked = await expectParked(agent.run('Go.'));
    const approval = { by: [{ id: 'ada' }] };
    const results = parked.output.buildResults({
      approvals: { p: new ToolApproved({ reason: 'Invoice 7.', approval }) },
      calls: { s: 1 },
    });

    await agent.resume(parked, travel(results));

    expect(paid).toEqual([{ euros: 5, approval: { by: [{ id: 'ada' }], reason: 'Invoice 7.' } }]);
  });

  it('is rejected if it is no text, before anything executes', async () => {
    const { agent, paid } = shop();
    const parked = await expectParked(agent.run('Go.'));
    const approvals = { p: new ToolApproved({ reason: untyped(7) }) };

    const resumed = agent.resume(
      parked,
      parked.output.buildResults({ approvals, calls: { s: 1 } }),
    );

    await expect(resumed).rejects.toThrow("'p'");
    expect(paid).toEqual([]);
  });
});

describe('decisions in JSON', () => {
  it('have one vocabulary', async () => {
    const { agent } = shop();
    const { output } = await expectParked(agent.run('Go.'));
    const approvals = [output.get('p').approve().decision, output.get('p').deny().decision];
    const kinds = [...approvals, new ToolExpired(), new ToolSuperseded()].map((approval) => {
      const json = JSON.parse(
        resultsCodec.stringify(new DeferredToolResults({ approvals: { p: approval } })),
      );
      return json.approvals.p.kind;
    });

    expect(kinds).toEqual(['approve', 'deny', 'expire', 'supersede']);
  });
});

describe('the context of a tool', () => {
  it('always has the call, an idempotency key and a signal, without a ledger', async () => {
    const { agent, contexts } = shop();
    const parked = await expectParked(agent.run('Go.'));
    const { output } = parked;

    await agent.resume(
      parked,
      output.buildResults([output.get('p').approve(), output.get('s').resolve(1)]),
    );

    const ctx = present(contexts[0]);
    expectTypeOf(ctx.idempotencyKey).toEqualTypeOf<string>();
    expectTypeOf(ctx.toolCallId).toEqualTypeOf<string>();
    expectTypeOf(ctx.toolName).toEqualTypeOf<string>();
    expect([ctx.toolCallId, ctx.toolName]).toEqual(['p', 'pay']);
    expect(ctx.idempotencyKey).toEqual(expect.any(String));
    expect(ctx.signal).toBeInstanceOf(AbortSignal);
  });
});
