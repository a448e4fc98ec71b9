import { Agent } from 'holdpoint';
import type { ModelStreamEvent } from 'holdpoint/models';
import { functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability } from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { rejectionOf } from '../../support/latch.ts';
import { broken, saying, noting, trying } from '../../support/model-request-hooks.ts';

describe('a hook around streamed requests', () => {
  const story = says('Once upon a time.', { chunks: ['Once ', 'upon ', 'a time.'] });
  const textOfStream = async (agent: ReturnType<typeof agentWith>['agent']) => {
    const pieces: string[] = [];
    for await (const piece of agent.stream('Go.').textStream) pieces.push(piece);
    return pieces;
  };

  it('passes chunks on as they arrive', async () => {
    const log: string[] = [];
    const { agent } = agentWith([noting(log, 'hook')], { script: [story] });

    for await (const piece of agent.stream('Go.').textStream) log.push(piece);

    expect(log).toEqual(['hook asks', 'Once ', 'upon ', 'a time.', 'hook got it']);
  });

  it('that returns its own response emits it in one piece', async () => {
    const { agent } = agentWith([
      capability({ wrapModelRequest: async () => saying('From the cache.') }),
    ]);

    expect(await textOfStream(agent)).toEqual(['From the cache.']);
  });

  it('that requests again passes on the chunks of the second response', async () => {
    const { agent } = agentWith([trying], { script: [broken, story] });

    expect(await textOfStream(agent)).toEqual(['Once ', 'upon ', 'a time.']);
  });

  it('that returns its own response after the model failed emits it', async () => {
    const fallingBack = capability({
      wrapModelRequest: (call, next) => next(call).catch(() => saying('From the cache.')),
    });
    const { agent } = agentWith([fallingBack], { script: [broken] });

    expect(await textOfStream(agent)).toEqual(['From the cache.']);
  });

  it('that requests again keeps nothing of an interrupted response', async () => {
    const tries: string[] = [];
    const model = functionModel(() => 'unused', {
      async *stream(): AsyncGenerator<string | ModelStreamEvent> {
        tries.push('try');
        yield 'Half ';
        if (tries.length === 1) throw broken;
        yield 'and half.';
      },
    });
    const agent = new Agent({ model, capabilities: [trying] });

    const result = await agent.stream('Go.').result;

    expect(result.output).toBe('Half and half.');
    expect(partsOf(result.messages)).toMatchObject([
      { content: 'Go.' },
      { content: 'Half and half.' },
    ]);
  });

  it('that gives up keeps the received part of the last response', async () => {
    const model = functionModel(() => 'unused', {
      async *stream(): AsyncGenerator<string | ModelStreamEvent> {
        yield 'Half ';
        throw broken;
      },
    });
    const stream = new Agent({ model, capabilities: [trying] }).stream('Go.');

    expect(await rejectionOf(stream.result)).toBe(broken);
    expect(stream.messages.at(-1)).toMatchObject({
      state: 'interrupted',
      parts: [{ content: 'Half ' }],
    });
  });

  it('can change the stored response, but not the emitted chunks', async () => {
    const softening = capability({
      async wrapModelRequest(call, next) {
        const response = await next(call);
        return { ...response, ...saying('Something nicer.') };
      },
    });
    const { agent } = agentWith([softening], { script: [story] });
    const stream = agent.stream('Go.');
    const pieces: string[] = [];
    for await (const piece of stream.textStream) pieces.push(piece);

    expect(pieces.join('')).toBe('Once upon a time.');
    expect((await stream.result).output).toBe('Something nicer.');
  });
});
