import { DeferredToolResults, ToolApproved, tool, UserError } from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../packages/core/test/support/latch.ts';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { historyOf, responseWith } from '../../packages/core/test/support/histories.ts';
import {
  approvals,
  parkedOnEveryKind,
  rejectionBy,
  values,
} from '../../packages/core/test/support/every-kind.ts';
import { present } from '../../packages/core/test/support/present.ts';
import { untyped } from '../../packages/core/test/support/untyped.ts';

describe.each(ways)('validation of a resume ($way)', (way) => {
  type ResultsInit = ConstructorParameters<typeof DeferredToolResults>[0];

  it.each<[string, ResultsInit, RegExp]>([
    ['without an answer', { approvals: { remove: true }, calls: values }, /'move'/],
    ['without any', {}, /'move'.*'paint'|'remove'.*'move'/],
    ['for nobody', { approvals: { ...approvals, x: true }, calls: values }, /'x'/],
    ['with a result for nobody', { approvals, calls: { ...values, y: 1 } }, /'y'/],
    ['of another kind', { approvals: { remove: true }, calls: { ...values, move: 1 } }, /'move'/],
    ['twice', { approvals: { ...approvals, render: true }, calls: values }, /'render'/],
  ])('executes nothing if one decision is %s', async (_, decisions, culprit) => {
    const error = await rejectionBy(way, new DeferredToolResults(decisions));

    expect(error).toMatch(culprit);
    expect(error).toMatch(/^\w+Error: Nothing was executed/);
  });

  it('executes nothing if two calls share an id', async () => {
    const shop = workshop();
    const twins = responseWith([
      { toolName: 'remove', toolCallId: 'first', args: { path: 'a' } },
      { toolName: 'remove', toolCallId: 'twin', args: { path: 'b' } },
      { toolName: 'remove', toolCallId: 'twin', args: { path: 'c' } },
    ]);

    const error = await rejectionOf(
      agentIn(shop, []).run(undefined, {
        messageHistory: way.messages(historyOf(twins)),
        deferredToolResults: new DeferredToolResults({ approvals: { first: true, twin: true } }),
      }),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain("'twin'");
    expect(shop.effects).toEqual([]);
  });

  it('calls no validator before all decisions are valid', async () => {
    const shop = workshop();
    const validated: string[] = [];
    const strict = tool({
      name: 'strict',
      requiresApproval: true,
      argsValidator: (_args, ctx) => {
        validated.push(present(ctx.toolCallId));
      },
      execute: () => 'done',
    });
    const script = [responds(calls('strict', {}, { id: 's' }), calls('paint', {}, { id: 'p' }))];
    const agent = agentIn(shop, script, { tools: [strict] });
    const parked = await expectParked(agent.run('Go.'));
    validated.length = 0;

    await rejectionOf(
      agent.run(undefined, {
        messageHistory: way.messages(parked.messages),
        deferredToolResults: way.results(
          new DeferredToolResults({ approvals: { s: true, p: true } }),
        ),
      }),
    );

    expect(validated).toEqual([]);
  });

  it('sends invalid override arguments back to the model', async () => {
    const { parked, shop } = await parkedOnEveryKind();
    const results = new DeferredToolResults({
      approvals: { remove: new ToolApproved({ overrideArgs: { path: 5 } }), move: true },
      calls: values,
    });

    const finished = await agentIn(shop, [says('Done.')]).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(results),
    });

    expect(shop.ran()).toEqual(['move b']);
    expect(finished.messages.at(-2)?.parts).toMatchObject([
      { kind: 'retry-prompt', toolCallId: 'remove', content: [{ path: ['path'] }] },
      { kind: 'tool-return', toolCallId: 'move', outcome: 'success' },
      { kind: 'tool-return', toolCallId: 'paint', content: 'a picture' },
      { kind: 'tool-return', toolCallId: 'render', content: 'another one' },
    ]);
  });
});

describe('validation of a resume', () => {
  it.each([1n, Number.NaN, () => 1, new Map([['a', 1]]), [Symbol('s')]])(
    'executes nothing if a result is no JSON: %#',
    async (value) => {
      const { shop, agent, parked } = await parkedOnEveryKind();
      const results = new DeferredToolResults({
        approvals,
        calls: { ...values, render: untyped(value) },
      });

      const error = await rejectionOf(agent.resume(parked, results));

      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain('render');
      expect(shop.effects).toEqual([]);
    },
  );

  it('uses the decisions as they were during validation', async () => {
    const { shop, agent, parked } = await parkedOnEveryKind();
    const results = parked.output.buildResults({
      approvals: { remove: false, move: false },
      calls: values,
    });
    const steps = agent.iter(undefined, {
      messageHistory: parked.messages,
      deferredToolResults: results,
    });

    for await (const step of steps) {
      if (step.kind !== 'apply-results') continue;
      results.approvals['remove'] = true;
      results.approvals['render'] = true;
      delete results.calls['render'];
    }

    expect(shop.effects).toEqual([]);
    expect(steps.result?.messages.at(-2)?.parts).toMatchObject([
      { toolCallId: 'remove', outcome: 'denied' },
      { toolCallId: 'move', outcome: 'denied' },
      { toolCallId: 'paint', content: 'a picture' },
      { toolCallId: 'render', content: 'another one' },
    ]);
  });
});
