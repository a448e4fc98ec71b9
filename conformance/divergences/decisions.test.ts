import {
  type ApprovalDecision,
  DeferredToolResults,
  ModelRetry,
  ToolApproved,
  ToolDenied,
  ToolFailed,
  ToolReturn,
  tool,
  UserError,
} from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../packages/core/test/support/latch.ts';
import { agentIn, ways, workshop } from '../../packages/core/test/support/deferral.ts';
import { historyOf, idsOf, responseWith } from '../../packages/core/test/support/histories.ts';
import {
  approvals,
  parkedOnEveryKind,
  rejectionBy,
  values,
} from '../../packages/core/test/support/every-kind.ts';
import { present } from '../../packages/core/test/support/present.ts';
import { untyped } from '../../packages/core/test/support/untyped.ts';

const anApproval: readonly [string, ApprovalDecision][] = [
  ['true', true],
  ['false', false],
  ['ToolApproved', new ToolApproved()],
  ['ToolDenied', new ToolDenied('No.')],
];
const aValue: readonly [string, unknown][] = [
  ['a text', 'removed'],
  ['true', true],
  ['null', null],
  ['a ToolReturn', new ToolReturn({ returnValue: 'removed' })],
  ['a ModelRetry', new ModelRetry('Again.')],
  ['a ToolFailed', new ToolFailed('Broken.')],
  ['a retry prompt', { kind: 'retry-prompt', content: 'Again.' }],
];

describe.each(ways)('kind of a decision or result ($way)', (way) => {
  it('rejects an id in both maps', async () => {
    const both = { approvals: { ...approvals, paint: true }, calls: { ...values, remove: 1 } };

    const error = await rejectionBy(way, new DeferredToolResults(both));

    expect(error).toContain("'paint'");
    expect(error).toContain("'remove'");
    expect(error).not.toContain("'move'");
  });

  it.each(anApproval)('rejects %s for an external call', async (_, decision) => {
    const { paint: _paint, ...others } = values;
    const results = { approvals: { ...approvals, paint: decision }, calls: others };

    expect(await rejectionBy(way, new DeferredToolResults(results))).toContain("'paint'");
  });

  it.each(anApproval)('rejects %s for a call that threw CallDeferred', async (_, decision) => {
    const { render: _render, ...others } = values;
    const results = { approvals: { ...approvals, render: decision }, calls: others };

    expect(await rejectionBy(way, new DeferredToolResults(results))).toContain("'render'");
  });

  it.each(aValue)('rejects %s for a tool of kind unapproved', async (_, value) => {
    const results = { approvals: { move: true }, calls: { ...values, remove: value as string } };

    expect(await rejectionBy(way, new DeferredToolResults(results))).toContain("'remove'");
  });

  it.each(aValue)('rejects %s for a call that threw ApprovalRequired', async (_, value) => {
    const results = { approvals: { remove: true }, calls: { ...values, move: value as string } };

    expect(await rejectionBy(way, new DeferredToolResults(results))).toContain("'move'");
  });

  it('is the recorded kind, even if the tool changed since', async () => {
    const { shop, parked } = await parkedOnEveryKind();
    const become = (name: string, requiresApproval = false) => {
      const work = shop.work(name);
      // Without a schema the tool's arguments are not validated.
      return tool({
        name,
        requiresApproval,
        execute: (args, ctx) => work(args as { path: string }, ctx),
      });
    };
    const changed = agentIn(shop, [], {
      tools: [become('remove'), become('move'), become('render', true), become('paint', true)],
      toolsets: [],
    });
    const swapped = new DeferredToolResults({
      approvals: { paint: true, render: true },
      calls: { remove: 1, move: 2 },
    });

    const error = await rejectionOf(
      changed.run(undefined, {
        messageHistory: way.messages(parked.messages),
        deferredToolResults: way.results(swapped),
      }),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toMatch(/'paint'.*'render'/);
    expect(shop.effects).toEqual([]);
  });

  it('is unrestricted in a history without a record, except for tools that always defer', async () => {
    const { shop, parked } = await parkedOnEveryKind();
    const messageHistory = way.messages(parked.messages.map(withoutStepRecord));
    const resume = (decisions: ConstructorParameters<typeof DeferredToolResults>[0]) =>
      agentIn(shop, [says('Done.')]).run(undefined, {
        messageHistory,
        deferredToolResults: way.results(new DeferredToolResults(decisions)),
      });

    const ofMarked = { approvals: { remove: false }, calls: { paint: 1 } };
    const wrongPaint = resume({
      approvals: { remove: true, paint: true, move: true, render: true },
    });
    expect(String(await rejectionOf(wrongPaint))).toContain("'paint'");
    const wrongRemove = resume({ calls: { remove: 1, paint: 1, move: 1, render: 1 } });
    expect(String(await rejectionOf(wrongRemove))).toContain("'remove'");
    expect(shop.effects).toEqual([]);

    const asValues = await resume({ ...ofMarked, calls: { paint: 1, move: 2, render: 3 } });
    expect(asValues.output).toBe('Done.');
    expect(shop.effects).toEqual([]);

    await resume({ calls: { paint: 1 }, approvals: { remove: false, move: true, render: true } });
    expect(shop.ran()).toEqual(['move b', 'render d']);
  });

  it('is unrestricted for plain and for unknown tools of a history made by hand', async () => {
    const shop = workshop();
    const messageHistory = way.messages(
      historyOf(
        responseWith([
          { toolName: 'read', toolCallId: 'known', args: { path: 'a' } },
          { toolName: 'gone', toolCallId: 'unknown', args: {} },
        ]),
      ),
    );
    const resume = (decisions: ConstructorParameters<typeof DeferredToolResults>[0]) =>
      agentIn(shop, [says('Done.')]).run(undefined, {
        messageHistory,
        deferredToolResults: way.results(new DeferredToolResults(decisions)),
      });

    const resolved = await resume({ calls: { known: 1, unknown: 2 } });
    expect(resolved.messages.at(-2)?.parts).toMatchObject([{ content: 1 }, { content: 2 }]);
    const denied = await resume({ approvals: { known: false, unknown: false } });
    expect(denied.messages.at(-2)?.parts).toMatchObject([
      { outcome: 'denied' },
      { outcome: 'denied' },
    ]);
    expect(shop.effects).toEqual([]);

    const approved = await resume({ approvals: { known: true, unknown: true } });
    expect(shop.effects).toMatchObject([{ tool: 'read', path: 'a', approved: true }]);
    expect(approved.messages.at(-2)?.parts).toMatchObject([
      { toolCallId: 'known', outcome: 'success' },
      { toolCallId: 'unknown', kind: 'retry-prompt' },
    ]);
  });
});

describe('kind of a decision or result', () => {
  // An approval is valid in the map of approvals only. In the map of results it is a mistake, not a
  // value.
  it.each([new ToolApproved(), new ToolDenied('No.')])(
    'rejects an approval as the result of an external call: %#',
    async (decision) => {
      const results = new DeferredToolResults({
        approvals,
        calls: { ...values, paint: untyped(decision) },
      });

      expect(await rejectionBy(present(ways[0]), results)).toContain("'paint'");
    },
  );

  it('is validated by buildResults, which knows the requests', async () => {
    const { parked } = await parkedOnEveryKind();
    const { output } = parked;

    expect(() => output.buildResults({ approvals: { paint: true } })).toThrow(UserError);
    expect(() => output.buildResults({ approvals: { paint: true } })).toThrow("'paint'");
    expect(() => output.buildResults({ approvals: { render: false } })).toThrow("'render'");
    expect(() => output.buildResults({ calls: { remove: 1 } })).toThrow("'remove'");
    expect(() => output.buildResults({ calls: { move: 1 } })).toThrow("'move'");
    expect(() =>
      output.buildResults({ approvals: { remove: true }, calls: { remove: 1 } }),
    ).toThrow("'remove'");
    expect(output.buildResults({ approvals, calls: values }).toToolCallResults()).toMatchObject({
      remove: new ToolApproved(),
      paint: { returnValue: 'a picture' },
    });
  });

  it('is not validated by remaining, update and toToolCallResults', async () => {
    const { parked } = await parkedOnEveryKind();
    const results = new DeferredToolResults({ approvals: { paint: true }, calls: { remove: 1 } });

    results.update(new DeferredToolResults({ approvals: { missing: false }, calls: { paint: 2 } }));

    const rest = parked.output.remaining(results);
    expect(idsOf(present(rest).approvals)).toEqual(['move']);
    expect(idsOf(present(rest).calls)).toEqual(['render']);
    expect(results.toToolCallResults()).toMatchObject({
      paint: { returnValue: 2 },
      remove: { returnValue: 1 },
      missing: new ToolDenied(),
    });
  });
});
