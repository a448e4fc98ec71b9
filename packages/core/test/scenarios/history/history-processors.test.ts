import { Agent, captureRunMessages, type Message, tool, UserError } from 'holdpoint';
import type { HistoryProcessor } from 'holdpoint/capabilities';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { partsOf, problemsOf, sentTo } from '../../support/conversation.ts';
import { present } from '../../support/present.ts';

const quick = tool({ name: 'quick', execute: () => 'quick' });

/** Runs an agent that calls a tool once, with one processor. */
function runWith(processor: HistoryProcessor, messageHistory?: readonly Message[]) {
  const model = scriptedModel(calls('quick'), says('Done.'));
  const agent = new Agent({ model, tools: [quick], historyProcessors: [processor] });
  const running = captureRunMessages(() => agent.run('Go.', { messageHistory }));
  return running.then((captured) => ({ captured, model }));
}

const earlier: readonly Message[] = [
  { kind: 'request', parts: [{ kind: 'user-prompt', content: 'My password is 1234.' }] },
  { kind: 'response', modelName: 'scripted', parts: [{ kind: 'text', content: 'Thanks.' }] },
];

const kinds = (messages: readonly Message[]) => partsOf(messages).map((part) => part.kind);

describe('a history processor', () => {
  it('receives the whole history before each request, and replaces it', async () => {
    const seen: number[] = [];
    const { captured, model } = await runWith((messages) => {
      seen.push(messages.length);
      return messages.slice(-1);
    }, earlier);

    expect(seen).toEqual([3, 3]);
    expect(model.calls.map((call) => call.messages.length)).toEqual([1, 1]);
    expect(captured.status).toBe('fulfilled');
    expect(captured.messages).toHaveLength(2);
  });

  it('in its form for new messages receives each message once', async () => {
    const seen: string[][] = [];
    const onNew = (messages: readonly Message[]) => {
      seen.push(kinds(messages));
      return messages;
    };

    await runWith({ onNew }, earlier);

    expect(seen).toEqual([
      ['user-prompt', 'text', 'user-prompt'],
      ['tool-call', 'tool-return'],
    ]);
  });

  it('receives the new messages also if pending calls were cancelled first', async () => {
    const seen: string[][] = [];
    const onNew = (messages: readonly Message[]) => {
      seen.push(kinds(messages));
      return messages;
    };
    const cut: Message = {
      kind: 'response',
      state: 'interrupted',
      parts: [{ kind: 'tool-call', toolName: 'quick', toolCallId: 'open', args: null }],
    };

    await runWith({ onNew }, [...earlier, present(earlier[0]), cut]);

    expect(seen[0]).toEqual([
      'user-prompt',
      'text',
      'user-prompt',
      'tool-call',
      'tool-return',
      'user-prompt',
    ]);
  });

  it('that cuts between a call and its result leaves a conversation that can be sent', async () => {
    const { captured, model } = await runWith((messages) => messages.slice(-1), earlier);

    expect(captured.status).toBe('fulfilled');
    expect(
      model.calls.flatMap((call) => call.messages.filter((m) => m.kind === 'response')),
    ).toEqual([]);
    expect(partsOf(sentTo(model, 1))).not.toContainEqual(
      expect.objectContaining({ kind: 'tool-return' }),
    );
  });

  it('that rewrites messages does not hide them from the new messages of the result', async () => {
    const rewrite = (messages: readonly Message[]) => messages.map((message) => ({ ...message }));
    const { captured } = await runWith(rewrite, earlier);

    expect(captured.status === 'fulfilled' && kinds(captured.value.newMessages)).toEqual([
      'user-prompt',
      'tool-call',
      'tool-return',
      'text',
    ]);
  });

  it('may keep its own objects, which are not frozen', async () => {
    const summary = {
      kind: 'request' as const,
      parts: [{ kind: 'user-prompt' as const, content: 'So far: nothing.' }],
    };
    const { captured, model } = await runWith(
      (messages) => [summary, ...messages.slice(1)],
      earlier,
    );

    expect(captured.status).toBe('fulfilled');
    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(Object.isFrozen(summary)).toBe(false);
  });

  it.each<[string, (messages: readonly Message[]) => unknown]>([
    ['nothing', () => undefined],
    ['an empty list', () => []],
    ['a list that ends in a response', (messages) => [...messages, earlier[1]]],
    ['a text', () => 'messages'],
    ['null in the list', (messages) => [null, ...messages]],
    ['a request without parts', () => [{ kind: 'request' }]],
    [
      'parts of the wrong side',
      (messages) => [{ kind: 'request', parts: [{ kind: 'text' }] }, ...messages],
    ],
    ['an unknown kind of message', (messages) => [{ kind: 'system', parts: [] }, ...messages]],
  ])('is an error when it returns %s', async (_what, process) => {
    for (const processor of [process, { onNew: process }]) {
      const { captured, model } = await runWith(processor as HistoryProcessor);

      expect(captured).toMatchObject({ status: 'rejected', reason: expect.any(UserError) });
      expect(kinds(captured.messages)).toEqual(['user-prompt']);
      expect(model.calls).toEqual([]);
    }
  });

  it('ends the run when it throws, and leaves the history as it was', async () => {
    const broken = new Error('broken');
    const { captured } = await runWith(() => Promise.reject(broken), earlier);

    expect(captured.status === 'rejected' && captured.reason).toBe(broken);
    expect(kinds(captured.messages)).toEqual(['user-prompt', 'text', 'user-prompt']);
  });

  it('cannot change the messages that it is given', async () => {
    const { captured } = await runWith((messages) => {
      (messages[0] as { kind: string }).kind = 'response';
      return messages;
    });

    expect(captured).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
    expect(captured.messages[0]?.kind).toBe('request');
  });
});
