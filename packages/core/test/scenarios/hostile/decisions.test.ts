import {
  type DeferredToolHandler,
  InvalidJsonError,
  type JsonObject,
  type Message,
  resultsCodec,
  ToolApproved,
  ToolDenied,
  ToolReturn,
  UserError,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { historyOf, idsOf } from '../../support/histories.ts';
import { rejectionOf } from '../../support/latch.ts';
import { type Forged, forge, good, parkedRun, rejectionMessage } from '../../support/hostile.ts';
import { untyped } from '../../support/untyped.ts';

describe.each(ways)('forged decisions ($way)', (way) => {
  it.each<[string, Forged, string[]]>([
    ['an approval for nobody', { ...good, approvals: { r: true, ghost: true } }, ["'ghost'"]],
    ['a denial for nobody', { ...good, approvals: { r: true, ghost: false } }, ["'ghost'"]],
    ['a result for nobody', { ...good, calls: { p: 1, ghost: 1 } }, ["'ghost'"]],
    ['an approval for an external call', { approvals: { r: true, p: true } }, ["'p'"]],
    ['a result for an approval', { calls: { r: 'removed', p: 1 } }, ["'r'"]],
    ['kinds that are swapped', { approvals: { p: true }, calls: { r: 1 } }, ["'p'"]],
    ['two answers to one call', { approvals: { r: true }, calls: { p: 1, r: 1 } }, ["'r'"]],
    ['one answer too few', { approvals: { r: true } }, ["'p'"]],
    ['no answers', {}, ["'r'", "'p'"]],
    ['an id with another case', { approvals: { R: true }, calls: { p: 1 } }, ["'R'"]],
    ['an id with a space', { approvals: { 'r ': true }, calls: { p: 1 } }, ["'r '"]],
    ['the name of a tool', { approvals: { remove: true }, calls: { p: 1 } }, ["'remove'"]],
  ])('are rejected: %s', async (_, decisions, culprits) => {
    const { shop, messages } = await parkedRun();

    const error = await rejectionMessage(
      shop,
      way.messages(messages),
      way.results(forge(decisions)),
    );

    for (const culprit of culprits) expect(error).toContain(culprit);
  });

  it('are rejected for another response of the same conversation', async () => {
    const shop = workshop();
    const model = scriptedModel(
      calls('remove', { path: 'a' }, { id: 'first' }),
      calls('remove', { path: 'b' }, { id: 'second' }),
    );
    const agent = agentIn(shop, []);
    const first = await expectParked(agent.run('Go.', { model }));
    const denied = first.output.buildResults({ approvals: { first: false } });
    const second = await expectParked(agent.resume(first, denied, { model }));

    const stale = first.output.buildResults({ approveAll: true });
    const error = await rejectionMessage(shop, way.messages(second.messages), way.results(stale));

    expect(error).toContain("'first'");
  });

  it('are rejected for a call that has a result', async () => {
    const shop = workshop();
    const script = [
      responds(
        calls('read', { path: 'a' }, { id: 'done' }),
        calls('remove', { path: 'b' }, { id: 'r' }),
      ),
    ];
    const parked = await expectParked(agentIn(shop, script).run('Go.'));

    for (const decisions of [
      { approvals: { r: true, done: true } },
      { approvals: { r: true }, calls: { done: 'something else' } },
      { approvals: { done: true } },
    ]) {
      const error = await rejectionMessage(
        shop,
        way.messages(parked.messages),
        way.results(forge(decisions)),
      );
      expect(error).toContain("'done'");
    }
  });

  it('are rejected for a finished run', async () => {
    const { shop, messages } = await parkedRun();
    const finished = await agentIn(shop, [says('Done.')]).resume({ messages }, forge(good));
    expect(shop.ran()).toEqual(['remove a']);

    const error = await rejectionMessage(
      shop,
      way.messages(finished.messages),
      way.results(forge(good)),
    );

    expect(error).toMatch(/resumed before|already have a result|no call of the history is pending/);
  });

  it('are rejected without a parked run', async () => {
    const shop = workshop();

    expect(await rejectionMessage(shop, [], forge(good))).toContain('messageHistory');
    expect(await rejectionMessage(shop, way.messages(historyOf()), forge(good))).toContain(
      'no response',
    );
    const text: Message = { kind: 'response', parts: [{ kind: 'text', content: 'Hi.' }] };
    expect(await rejectionMessage(shop, way.messages(historyOf(text)), forge(good))).toMatch(
      /pending/,
    );
  });

  it('are rejected by the thousand, quickly and with a short message', async () => {
    const { shop, messages } = await parkedRun();
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`forged-${n}`, true]),
    );
    const start = performance.now();

    const error = await rejectionMessage(
      shop,
      way.messages(messages),
      way.results(forge({ ...good, approvals: { ...good.approvals, ...many } })),
    );

    expect(error).toContain("'forged-0'");
    expect(error.length).toBeLessThan(1000);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('are not limited in number: 10,000 calls accept 10,000 decisions', async () => {
    const shop = workshop();
    const batch = Array.from({ length: 10_000 }, (_, n) =>
      calls('remove', { path: String(n) }, { id: `call/${n}` }),
    );
    const parked = await expectParked(agentIn(shop, [responds(...batch)]).run('Go.'));
    const approvals = Object.fromEntries(
      idsOf(parked.output.approvals).map((id, n) => [id, n % 1000 === 0]),
    );
    const start = performance.now();

    const finished = await agentIn(shop, [says('Done.')]).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(forge({ approvals })),
    });

    expect(finished.output).toBe('Done.');
    expect(shop.effects).toHaveLength(10);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('objects that resemble decisions', () => {
  it.each<[string, unknown]>([
    ['a plain object', { approvals: { r: true }, calls: { p: 1 }, metadata: {} }],
    ['a document', { holdpoint: 'results', version: 1, approvals: { r: true }, calls: {} }],
    ['a text', '{"approvals":{"r":true}}'],
    ['true', true],
    ['a list', [true, 1]],
    ['a map', new Map([['r', true]])],
    ['null', null],
  ])('are no decisions: %s', async (_, lookAlike) => {
    const { shop, messages } = await parkedRun();

    const error = await rejectionMessage(shop, messages, lookAlike);

    expect(error).toMatch(/DeferredToolResults/);
  });

  it.each<[string, unknown]>([
    ['a plain object', { approvals: { r: true }, calls: { p: 1 }, metadata: {} }],
    ['true', true],
    ['a text', 'yes'],
  ])('are no results of a handler: %s', async (_, lookAlike) => {
    const shop = workshop();
    const script = [calls('remove', { path: 'a' }, { id: 'r' })];
    const deferredToolHandler = untyped<DeferredToolHandler>(() => lookAlike);

    const error = await rejectionOf(agentIn(shop, script).run('Go.', { deferredToolHandler }));

    expect(error).toBeInstanceOf(UserError);
    expect(shop.effects).toEqual([]);
  });

  const noApprovals: readonly [string, unknown][] = [
    ["'yes'", 'yes'],
    ["'true'", 'true'],
    ["'approved'", 'approved'],
    ['1', 1],
    ['null', null],
    ['undefined', undefined],
    ['an empty object', {}],
    ['an object that says true', { approved: true }],
    ['what ToolApproved looks like', { kind: 'approve' }],
    ['what ToolDenied looks like', { kind: 'deny', message: 'No.' }],
    ['the class itself', ToolApproved],
    ['a boolean object', Object(true)],
    ['a promise', Promise.resolve(true)],
    ['a result', new ToolReturn({ returnValue: true })],
  ];

  it.each(noApprovals)('approve nothing, and deny nothing: %s', async (_, decision) => {
    const { shop, parked, messages } = await parkedRun();

    const error = await rejectionMessage(
      shop,
      messages,
      forge({ ...good, approvals: { r: decision } }),
    );
    expect(error).toContain("'r'");

    const inline = await rejectionOf(
      agentIn(shop, [calls('remove', { path: 'a' }, { id: 'r' })]).run('Go.', {
        deferredToolHandler: () => forge({ approvals: { r: decision } }),
      }),
    );
    expect(inline).toBeInstanceOf(UserError);
    expect(String(inline)).toContain("'r'");
    expect(shop.effects).toEqual([]);
    expect(parked.output.approvals).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ['"yes"', 'yes'],
    ['1', 1],
    ['null', null],
    ['an object without a kind', { overrideArgs: { path: 'b' } }],
    ['an approval with more than there is', { kind: 'approve', args: { path: 'b' } }],
  ])('are not loaded from JSON: %s', (_, decision) => {
    const document = { holdpoint: 'results', version: 1, approvals: { r: decision }, calls: {} };

    expect(() => resultsCodec.parse(JSON.stringify(document))).toThrow(InvalidJsonError);
    expect(() => resultsCodec.fromJSON(document)).toThrow(/approvals\.r/);
  });

  it.each<[string, unknown]>([
    ['what a ToolReturn looks like', { returnValue: 1, content: 'Look!' }],
    ['what ModelRetry looks like', { name: 'ModelRetry', message: 'Again.' }],
    ['what an approval looks like', { kind: 'approve' }],
    ['what a retry prompt looks like, but for its content', { kind: 'retry-prompt', content: 5 }],
  ])('are plain results in calls: %s', async (_, value) => {
    for (const way of ways) {
      const { shop, messages } = await parkedRun();

      const finished = await agentIn(shop, [says('Done.')]).run(undefined, {
        messageHistory: way.messages(messages),
        deferredToolResults: way.results(forge({ approvals: { r: false }, calls: { p: value } })),
      });

      expect(finished.messages.at(-2)?.parts).toMatchObject([
        { outcome: 'denied' },
        { kind: 'tool-return', outcome: 'success', content: value },
      ]);
      expect(shop.effects).toEqual([]);
    }
  });

  // A denial message becomes part of the history, so it must be JSON.
  it.each([5, 1n, { text: 'No.' }, () => 'No.'])('are no denial messages: %#', async (message) => {
    const { shop, messages } = await parkedRun();
    const denied = Object.assign(new ToolDenied(), { message: untyped<string>(message) });

    const error = await rejectionMessage(
      shop,
      messages,
      forge({ ...good, approvals: { r: denied } }),
    );

    expect(error).toContain("'r'");
  });
});

describe('endless results', () => {
  const deep = () => {
    let value: object = {};
    for (let depth = 0; depth < 100_000; depth++) value = { value };
    return value;
  };
  const circular: Record<string, unknown> = { path: 'b' };
  circular['self'] = circular;

  it.each<[string, unknown]>([
    ['very deep', deep()],
    ['circular', circular],
  ])('are rejected as results: %s', async (_, value) => {
    const { shop, messages } = await parkedRun();

    expect(await rejectionMessage(shop, messages, forge({ ...good, calls: { p: value } }))).toMatch(
      /paint|'p'/,
    );
  });

  it('are rejected as override arguments', async () => {
    const { shop, messages } = await parkedRun();
    const decision = new ToolApproved({ overrideArgs: { path: 'b', more: deep() } as JsonObject });

    expect(
      await rejectionMessage(shop, messages, forge({ ...good, approvals: { r: decision } })),
    ).toMatch(/remove|'r'/);
  });
});

describe.each(ways)('metadata ($way)', (way) => {
  it('for ids that are not pending has no effect', async () => {
    const { shop, messages } = await parkedRun();
    const metadata = JSON.parse('{"ghost":{"a":1},"__proto__":{"admin":true},"p":{"b":2}}');

    await agentIn(shop, [says('Done.')]).run(undefined, {
      messageHistory: way.messages(messages),
      deferredToolResults: way.results(forge({ ...good, metadata })),
    });

    expect(shop.effects).toEqual([
      { tool: 'remove', path: 'a', approved: true, metadata: undefined },
    ]);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it('alone resolves nothing', async () => {
    const { shop, messages } = await parkedRun();

    const error = await rejectionMessage(
      shop,
      way.messages(messages),
      way.results(forge({ calls: { p: 1 }, metadata: { r: { approved: true } } })),
    );

    expect(error).toContain("'r'");
  });
});
