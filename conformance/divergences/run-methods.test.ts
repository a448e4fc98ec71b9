import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as holdpoint from 'holdpoint';
import {
  Agent,
  approveAll,
  DeferredToolRequests,
  type DeferredToolHandler,
  WrapperAgent,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, expectParked, workshop } from '../../packages/core/test/support/deferral.ts';
import { repository } from '../../packages/core/test/support/run-program.ts';

describe('runSync, runStreamSync', () => {
  it('are not offered', () => {
    const offered = [Agent, WrapperAgent].flatMap((one) =>
      Object.getOwnPropertyNames(one.prototype),
    );

    expect(offered).toContain('run');
    expect([...offered, ...Object.keys(holdpoint)].filter((name) => /sync$/i.test(name))).toEqual(
      [],
    );
  });

  it('are documented as absent', () => {
    const page = readFileSync(join(repository, 'docs/run-context.md'), 'utf8');

    expect(page).toMatch(/no synchronous API[^]*JavaScript cannot block[^]*await agent\.run/);
  });
});

describe('runStream', () => {
  it('is named stream, and streams the whole run, with tools and handler', async () => {
    const shop = workshop();
    const batch = responds(
      'Let me see.',
      calls('read', { path: 'a' }, { id: 'a' }),
      calls('remove', { path: 'b' }, { id: 'b' }),
      calls('move', { path: 'c' }, { id: 'c' }),
    );
    const agent = agentIn(shop, [batch, says('Done.')], { deferredToolHandler: approveAll() });
    const kinds: string[] = [];
    const stream = agent.stream('Go.');

    for await (const event of stream) {
      if (event.kind === 'tool-call') kinds.push(`call ${event.part.toolCallId}`);
      else if (event.kind === 'tool-result') kinds.push(`result ${event.part.toolCallId}`);
      else if (event.kind.startsWith('deferred') || event.kind === 'run-result')
        kinds.push(event.kind);
    }

    expect('runStream' in agent).toBe(false);
    expect(kinds).toEqual([
      'call a',
      'call c',
      'result a',
      'call b',
      'deferred-requests',
      'deferred-results',
      'result c',
      'result b',
      'run-result',
    ]);
    expect(shop.ran()).toEqual(['read a', 'move c', 'remove b']);
    expect((await stream.result).output).toBe('Done.');
  });

  it('parks as run does', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [responds('Wait.', calls('remove', { path: 'a' }, { id: 'a' }))]);

    const parked = await expectParked(agent.stream('Go.').result);

    expect(parked.output.approvals).toMatchObject([{ toolCallId: 'a' }]);
    expect(shop.effects).toEqual([]);
  });

  it.each(['stream', 'run'] as const)(
    'does not handle deferred calls alongside a final output, like run (%s)',
    async (method) => {
      const shop = workshop();
      let handlerCalls = 0;
      const deferredToolHandler: DeferredToolHandler = (requests) => {
        handlerCalls += 1;
        return requests.buildResults({ approveAll: true });
      };
      const script = responds(
        calls('final_result', { value: 1 }, { id: 'f' }),
        calls('remove', { path: 'a' }, { id: 'a' }),
        calls('move', { path: 'b' }, { id: 'b' }),
      );
      const agent = new Agent({
        model: scriptedModel(script),
        tools: [shop.remove, shop.move],
        output: [holdpoint.toolOutput(numberSchema), DeferredToolRequests],
        deferredToolHandler,
      });

      const result = method === 'run' ? await agent.run('Go.') : await agent.stream('Go.').result;

      expect(result).toMatchObject({ status: 'finished', output: { value: 1 } });
      expect(handlerCalls).toBe(0);
      expect(shop.effects).toEqual([]);
      expect(result.messages.at(-1)?.parts).toHaveLength(3);
    },
  );
});

const numberSchema = holdpoint.fromJsonSchema<{ value: number }>({
  type: 'object',
  properties: { value: { type: 'number' } },
});
