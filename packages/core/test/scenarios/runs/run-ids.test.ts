import { Agent, type Message, UserError } from 'holdpoint';
import { says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../support/latch.ts';

/** An agent with a script of several texts. */
const talker = () =>
  new Agent({ model: scriptedModel(says('1'), says('2'), says('3'), says('4')) });

describe('the id of a run', () => {
  it('is new for each run, and on each of its messages', async () => {
    const agent = talker();

    const first = await agent.run('Go.');
    const second = await agent.run('Go on.', { messageHistory: first.messages });

    expect(second.runId).not.toBe(first.runId);
    expect(second.messages.map((message) => message.runId)).toEqual([
      first.runId,
      first.runId,
      second.runId,
      second.runId,
    ]);
    expect(second.newMessages).toEqual(second.messages.slice(2));
  });

  it('can be passed', async () => {
    const { runId } = await talker().run('Go.', { runId: 'mine' });

    expect(runId).toBe('mine');
  });

  it('cannot be empty or already in the history', async () => {
    const agent = talker();
    const { messages, runId } = await agent.run('Go.');

    expect(await rejectionOf(agent.run('Go.', { runId: '' }))).toBeInstanceOf(UserError);
    expect(
      await rejectionOf(agent.run('Go on.', { messageHistory: messages, runId })),
    ).toBeInstanceOf(UserError);
  });
});

describe('the id of a conversation', () => {
  it('comes from the history, unless another is passed', async () => {
    const agent = talker();
    const first = await agent.run('Go.', { conversationId: 'first' });

    const same = await agent.run('Go on.', { messageHistory: first.messages });
    const other = await agent.run('Go on.', {
      messageHistory: same.messages,
      conversationId: 'other',
    });
    const after = await agent.run('Go on.', { messageHistory: other.messages });

    expect(first.conversationId).toBe('first');
    expect(same.conversationId).toBe('first');
    expect(other.conversationId).toBe('other');
    expect(after.conversationId).toBe('other');
    expect(after.messages[0]?.conversationId).toBe('first');
  });

  it('is new for a fork, and for a history without one', async () => {
    const agent = talker();
    const first = await agent.run('Go.');
    const anonymous: Message[] = [
      { kind: 'request', parts: [{ kind: 'user-prompt', content: '' }] },
    ];

    const fork = await agent.run('Go on.', {
      messageHistory: first.messages,
      conversationId: 'new',
    });
    const fresh = await agent.run('Go on.', { messageHistory: anonymous });

    const ids = [first, fork, fresh].map((result) => result.conversationId);
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('new');
    expect(ids).not.toContain('');
  });

  it('cannot be empty', async () => {
    const error = await rejectionOf(talker().run('Go.', { conversationId: '' }));

    expect(error).toBeInstanceOf(UserError);
  });
});

describe('a run without prompt, history and results', () => {
  it('is rejected', async () => {
    const agent = talker();

    expect(await rejectionOf(agent.run())).toBeInstanceOf(UserError);
    expect(await rejectionOf(agent.run(undefined, { messageHistory: [] }))).toBeInstanceOf(
      UserError,
    );
  });
});
