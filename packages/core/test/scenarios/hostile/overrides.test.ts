import { type JsonObject, ToolApproved, tool } from 'holdpoint';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { forge, good, parkedRun, rejectionMessage } from '../../support/hostile.ts';

describe('override arguments', () => {
  const override = (overrideArgs: unknown): ToolApproved =>
    new ToolApproved({ overrideArgs: overrideArgs as JsonObject });

  it.each<[string, unknown]>([
    ['a text', '{"path":"b"}'],
    ['a list', ['b']],
    ['a number', 5],
    ['null', null],
    ['true', true],
    ['a map', new Map([['path', 'b']])],
    ['a date', new Date(0)],
    [
      'an object of a class',
      new (class Args {
        path = 'b';
      })(),
    ],
    ['an object with a prototype of its own', Object.create({ path: 'b' })],
    ['a literal with __proto__', { __proto__: { path: 'b' } }],
    ['a function', () => ({ path: 'b' })],
  ])('that are no plain object are rejected: %s', async (_, args) => {
    const { shop, messages } = await parkedRun();

    const error = await rejectionMessage(
      shop,
      messages,
      forge({ ...good, approvals: { r: override(args) } }),
    );

    expect(error).toContain("'r'");
  });

  it.each(ways)('with a key __proto__ change no prototype ($way)', async (way) => {
    const got: unknown[] = [];
    const open = tool({
      name: 'open',
      inputSchema: z.looseObject({}),
      requiresApproval: true,
      execute: (args) => {
        got.push(args);
        return 'done';
      },
    });
    const shop = workshop();
    const tools = [open];
    const parked = await expectParked(
      agentIn(shop, [calls('open', {}, { id: 'o' })], { tools }).run('Go.'),
    );
    const args = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":1}}}');

    await agentIn(shop, [says('Done.')], { tools }).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(forge({ approvals: { o: override(args) } })),
    });

    expect(got).toHaveLength(1);
    expect((got[0] as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each(ways)('cannot add members that the schema removes ($way)', async (way) => {
    const { shop, messages } = await parkedRun();
    const hostile = [{}, { path: 5 }, { path: null }, { path: ['a'] }, { Path: 'b' }];

    for (const args of hostile) {
      const finished = await agentIn(shop, [says('Done.')]).run(undefined, {
        messageHistory: way.messages(messages),
        deferredToolResults: way.results(forge({ ...good, approvals: { r: override(args) } })),
      });
      expect(finished.messages.at(-2)?.parts[0]).toMatchObject({
        kind: 'retry-prompt',
        toolCallId: 'r',
      });
    }

    expect(shop.effects).toEqual([]);
  });

  it('are copied when they are passed', async () => {
    const { shop, messages } = await parkedRun();
    const args = { path: 'b' };
    const steps = agentIn(shop, [says('Done.')]).iter(undefined, {
      messageHistory: messages,
      deferredToolResults: forge({ ...good, approvals: { r: override(args) } }),
    });

    for await (const step of steps) if (step.kind === 'apply-results') args.path = '/';

    expect(shop.ran()).toEqual(['remove b']);
  });
});
