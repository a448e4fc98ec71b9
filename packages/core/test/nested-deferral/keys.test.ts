import {
  Agent,
  DeferredToolResults,
  requestsCodec,
  requestsFromMessages,
  type Tool,
} from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { historyOf, idsOf, responseWith } from '../support/histories.ts';
import { rejectionOf } from '../support/latch.ts';
import { present } from '../support/present.ts';
import { following, parkingAgent, removeTool, stored } from './support/pairs.ts';

/**
 * A chain of agents whose calls have these ids, the outermost first. The last agent calls `remove`.
 */
function chain(ids: readonly string[]) {
  const { remove, ran } = removeTool();
  const [last, ...delegating] = ids.toReversed();
  let agent = new Agent<readonly Tool[]>({
    name: 'agent',
    tools: [remove],
    model: following(calls('remove', { path: 'a' }, { id: present(last) })),
  });
  for (const id of delegating.slice(0, -1)) {
    agent = new Agent<readonly Tool[]>({
      name: 'agent',
      tools: [agent.asTool()],
      model: following(calls('agent', { prompt: '' }, { id })),
    });
  }
  const lead = parkingAgent([calls('agent', { prompt: '' }, { id: present(delegating.at(-1)) })], {
    tools: [agent.asTool()],
  });
  return { lead, ran };
}

describe('the key of a nested call', () => {
  it.each([
    [['a', 'b'], 'a/b'],
    [['a', 'b', 'c', 'd'], 'a/b/c/d'],
    [['a/b', 'c'], 'a~1b/c'],
    [['a', 'b/c'], 'a/b~1c'],
    [['a~1b', 'c'], 'a~01b/c'],
    [['~', '/', '~/'], '~0/~1/~0~1'],
    [['', 'b'], '/b'],
    [['__proto__', 'constructor'], '__proto__/constructor'],
    [['7', '3', '5'], '7/3/5'],
    [['ид', '😀'], 'ид/😀'],
  ])('of %j is %j, and resolves it', async (ids, key) => {
    const { lead, ran } = chain(ids);

    const parked = await expectParked(lead.run('Go.'));
    const messages = stored(parked);
    const requests = requestsCodec.parse(
      requestsCodec.stringify(present(requestsFromMessages(messages))),
    );

    expect(idsOf(requests.approvals)).toEqual([key]);
    expect(requests).toEqual(requestsFromMessages(messages));
    expect(requests.get(key).path.map(({ toolCallId }) => toolCallId)).toEqual(ids.slice(0, -1));
    expect(requests.get(key).toolCallId).toBe(ids.at(-1));
    const done = await lead.resume(
      { messages },
      requests.buildResults({ approvals: { [key]: true } }),
    );
    expect(done.status).toBe('finished');
    expect(ran).toEqual(['a']);
  });

  it('distinguishes calls whose ids have the same letters', async () => {
    const { remove, ran } = removeTool();
    const sub = (name: string, id: string) =>
      new Agent<readonly Tool[]>({
        name,
        tools: [remove],
        model: following(calls('remove', { path: name }, { id })),
      }).asTool();
    const both = responds(
      calls('one', { prompt: '' }, { id: 'a/b' }),
      calls('two', { prompt: '' }, { id: 'a' }),
    );
    const lead = parkingAgent([both], { tools: [sub('one', 'c'), sub('two', 'b/c')] });
    const parked = await expectParked(lead.run('Go.'));
    expect(idsOf(parked.output.approvals)).toEqual(['a~1b/c', 'a/b~1c']);

    await lead.resume(
      { messages: stored(parked) },
      parked.output.buildResults({ approvals: { 'a~1b/c': true, 'a/b~1c': false } }),
    );

    expect(ran).toEqual(['one']);
  });
});

describe('two calls under one key', () => {
  const clash = () => {
    const { remove, ran } = removeTool();
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      tools: [remove],
      model: following(calls('remove', { path: 'below' }, { id: 'b' })),
    });
    // At the top level an id is its own key, so this id resembles the key of a nested call.
    const both = responds(
      calls('sub', { prompt: '' }, { id: 'a' }),
      calls('remove', { path: 'top' }, { id: 'a/b' }),
    );
    return { lead: parkingAgent([both], { tools: [sub.asTool(), remove] }), ran };
  };

  it('are rejected when the run would park', async () => {
    const { lead, ran } = clash();

    expect(await rejectionOf(lead.run('Go.'))).toMatchObject({
      code: 'unexpected-model-behavior',
      message: expect.stringMatching(/share a key: .*a\/b/),
    });
    expect(ran).toEqual([]);
  });

  it('are rejected before a handler is called', async () => {
    const { lead, ran } = clash();
    let handlerCalls = 0;

    const error = await rejectionOf(
      lead.run('Go.', {
        deferredToolHandler: (requests) => {
          handlerCalls += 1;
          return requests.buildResults({ approveAll: true });
        },
      }),
    );

    expect(error).toMatchObject({ code: 'unexpected-model-behavior' });
    expect(handlerCalls).toBe(0);
    expect(ran).toEqual([]);
  });

  it('are rejected in a stored history', async () => {
    const { lead, ran } = clash();
    const inner = historyOf(
      responseWith([{ toolName: 'remove', toolCallId: 'b', args: { path: 'below' } }], {
        v: 1,
        step: 'inner',
        open: { b: { kind: 'approval' } },
      }),
    );
    const messages = historyOf(
      responseWith(
        [
          { toolName: 'sub', toolCallId: 'a', args: { prompt: '' } },
          { toolName: 'remove', toolCallId: 'a/b', args: { path: 'top' } },
        ],
        {
          v: 1,
          step: 'outer',
          open: { a: { kind: 'agent', from: 0, messages: inner }, 'a/b': { kind: 'approval' } },
        },
      ),
    );

    expect(() => requestsFromMessages(messages)).toThrow(/share a key/);
    for (const approvals of [{ 'a/b': true }, { 'a/b': false }, {}]) {
      const error = await rejectionOf(
        lead.resume({ messages }, new DeferredToolResults({ approvals })),
      );
      expect(String(error)).toMatch(/a\/b/);
    }
    expect(ran).toEqual([]);
  });

  it('that share their id within one agent are rejected as well', async () => {
    const { remove, ran } = removeTool();
    const twice = responds(
      calls('remove', { path: 'a' }, { id: 'same' }),
      calls('remove', { path: 'b' }, { id: 'same' }),
    );
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      tools: [remove],
      model: following(twice),
    });
    const lead = parkingAgent([calls('sub', { prompt: '' }, { id: 'out' })], {
      tools: [sub.asTool()],
    });

    expect(await rejectionOf(lead.run('Go.'))).toMatchObject({
      code: 'unexpected-model-behavior',
    });
    expect(ran).toEqual([]);
  });
});
