import { Agent, askUser, InputRequired, tool } from 'holdpoint';
import { QUESTION_TOOL } from 'holdpoint/ai-sdk-ui';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import type { UIMessage } from 'ai';
import type { Chat } from '@ai-sdk/react';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { present } from '../support/present.ts';
import {
  chatWith,
  decide,
  idle,
  lastOutline,
  requestedApprovals,
  say,
  shop,
  storedServer,
  toolParts,
} from './support.ts';

const Account = z.object({ account: z.enum(['business', 'private']) });

function bank() {
  const paid: string[] = [];
  const transfer = tool({
    name: 'transfer',
    inputSchema: z.object({ euros: z.number() }),
    execute({ euros }, ctx) {
      if (ctx.input === undefined) {
        throw new InputRequired({ message: 'Which account pays?', schema: Account });
      }
      const { account } = Account.parse(ctx.input);
      paid.push(`${account}: ${euros}`);
      return `${euros} euros paid`;
    },
  });
  return { paid, transfer };
}

const questions = (chat: Chat<UIMessage>) =>
  toolParts(chat).filter((part) => part.type === 'dynamic-tool' && part.toolName === QUESTION_TOOL);

const respond = async (chat: Chat<UIMessage>, output: unknown) => {
  const { toolCallId } = present(questions(chat).at(-1));
  await chat.addToolOutput({ tool: QUESTION_TOOL, toolCallId, output });
  await idle(chat);
};

describe('a question in a chat', () => {
  it('is shown with its schema, rejects an invalid input, and accepts a valid one in another process', async () => {
    const { transfer, paid } = bank();
    const model = scriptedModel(calls('transfer', { euros: 40 }), says('Paid.'));
    const chats = storedServer(new Agent({ model, tools: [transfer] }));
    await say(chatWith(chats), 'Pay the invoice.');

    const chat = chatWith(chats, { messages: await chats.history('chat-1') });
    expect(lastOutline(chat)).toBe(
      'step-start tool-transfer:approval-responded dynamic-tool:input-available',
    );
    expect(questions(chat)[0]?.input).toMatchObject({
      message: 'Which account pays?',
      schema: { type: 'object', required: ['account'] },
      toolName: 'transfer',
    });
    await respond(chat, { account: 'other' });
    expect(questions(chat)[0]).toMatchObject({
      state: 'input-available',
      input: { problem: expect.stringContaining('account') },
    });
    expect(chats.posts).toHaveLength(2);
    expect(paid).toEqual([]);

    await respond(chat, { account: 'business' });

    expect(chat.error).toBeUndefined();
    expect(paid).toEqual(['business: 40']);
    expect(lastOutline(chat)).toBe(
      'step-start tool-transfer:output-available dynamic-tool:output-available step-start text',
    );
  });

  it('can be declined', async () => {
    const { transfer, paid } = bank();
    const model = scriptedModel(calls('transfer', { euros: 40 }), says('Not paid.'));
    const chats = storedServer(new Agent({ model, tools: [transfer] }));
    const chat = chatWith(chats);
    await say(chat, 'Pay the invoice.');

    const { toolCallId } = present(questions(chat)[0]);
    const declined = { state: 'output-error', errorText: 'I do not know.' } as const;
    await chat.addToolOutput({ tool: QUESTION_TOOL, toolCallId, ...declined });
    await idle(chat);

    expect(paid).toEqual([]);
    expect(lastOutline(chat)).toBe(
      'step-start tool-transfer:output-denied dynamic-tool:output-error step-start text',
    );
  });

  it('has a separate part for each question, beside an approval', async () => {
    const { deleteFile, executed } = shop();
    const register = tool({
      name: 'register',
      execute(_args, ctx) {
        const [name, age] = ctx.inputs;
        if (name === undefined) throw new InputRequired('What is your name?');
        if (age === undefined) throw new InputRequired('How old are you?');
        return `${String(name)} (${String(age)})`;
      },
    });
    const model = scriptedModel(
      responds(calls('register', {}), calls('delete_file', { path: 'a' })),
      says('Registered.'),
    );
    const chats = storedServer(new Agent({ model, tools: [register, deleteFile] }));
    const chat = chatWith(chats);
    await say(chat, 'Register me.');
    await respond(chat, 'Ada');
    expect(chats.posts).toHaveLength(1);
    await decide(chat, present(requestedApprovals(chat)[0]), true);

    expect(questions(chat).map(({ state }) => state)).toEqual([
      'output-available',
      'input-available',
    ]);
    expect(chats.posts).toHaveLength(2);
    // All messages are sent again with the first input, which must not count for the second
    // question.
    await respond(chat, '36');

    expect(chat.error).toBeUndefined();
    expect(executed).toEqual(['a']);
    expect(toolParts(chat)[0]).toMatchObject({ output: 'Ada (36)' });
  });

  it('of a sub-agent is shown and resumes, also after a reload', async () => {
    const inner = new Agent({
      name: 'painter',
      model: scriptedModel(calls('ask_user', { question: 'Which colour?' }), says('Painted.')),
      tools: [askUser()],
    });
    const model = scriptedModel(calls('painter', { prompt: 'Paint.' }), says('Done.'));
    const chats = storedServer(new Agent({ model, tools: [inner.asTool()] }));
    await say(chatWith(chats), 'Paint the door.');

    const chat = chatWith(chats, { messages: await chats.history('chat-1') });
    await respond(chat, 'blue');

    expect(chat.error).toBeUndefined();
    expect(lastOutline(chat)).toContain('tool-painter:output-available');
    expect(lastOutline(chat)).toContain('step-start text');
    expect(chats.posts).toHaveLength(2);
  });

  it('of a sub-agent is shown and resumes in the same page', async () => {
    const inner = new Agent({
      name: 'painter',
      model: scriptedModel(calls('ask_user', { question: 'Which colour?' }), says('Painted.')),
      tools: [askUser()],
    });
    const model = scriptedModel(calls('painter', { prompt: 'Paint.' }), says('Done.'));
    const chats = storedServer(new Agent({ model, tools: [inner.asTool()] }));
    const chat = chatWith(chats);
    await say(chat, 'Paint the door.');
    await respond(chat, 7);
    expect(questions(chat)[0]).toMatchObject({ state: 'input-available' });
    await respond(chat, 'blue');

    expect(chat.error).toBeUndefined();
    expect(lastOutline(chat)).toContain('step-start text');
    expect(chats.posts).toHaveLength(3);
  });
});
