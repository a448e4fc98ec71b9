import { Agent, InputRequired, MemoryLedger, tool } from 'holdpoint';
import { calls, responds, says, type ScriptEntry, scriptedModel, thinks } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { janitor, shop } from '../ai-sdk-ui/support.ts';
import { present } from '../support/present.ts';
import { decide, lastEvent, outline, say, storedThreads, versions } from './support.ts';

const COLOR = {
  name: 'pick_color',
  description: 'Asks the user for a colour.',
  parameters: { type: 'object', properties: {} },
};

/** An agent that asks for the account of a payment, in a process whose model sends one response. */
function bank(response: ScriptEntry) {
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ euros: z.number() }),
    execute({ euros }, ctx) {
      if (ctx.input !== undefined) return `${euros} euros from ${String(ctx.input)}`;
      const schema = { type: 'string', enum: ['business', 'private'] };
      throw new InputRequired({ message: 'Which account?', schema });
    },
  });
  return new Agent({ name: 'bank', model: scriptedModel(response), tools: [pay] });
}

describe.each(versions)('HttpAgent %s', (_, version) => {
  const isLatest = version === versions[0]?.[1];

  it('shows text and reasoning', async () => {
    const { agent } = janitor([responds(thinks('The user greets me.'), says('Hello Ada'))]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();

    const { result } = await say(client, 'Hi');

    expect(result).toBe('Hello Ada');
    expect(outline(client)).toEqual([
      'user:Hi',
      'reasoning:The user greets me.',
      'assistant:Hello Ada',
    ]);
  });

  it('approves with an edit, and denies, beside a call that needs neither', async () => {
    const { agent, executed } = janitor([
      responds(
        says('I delete two files.'),
        calls('delete_file', { path: 'a' }),
        calls('delete_file', { path: 'b' }),
        calls('read_file', { path: 'c' }),
      ),
      says('Done.'),
    ]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();
    await say(client, 'Delete a and b.');
    expect(client.pendingInterrupts).toMatchObject([
      { message: 'Deletes a', reason: 'tool_call' },
      { message: 'Deletes b', reason: 'tool_call' },
    ]);
    expect(executed).toEqual([]);

    await decide(client, [
      { approved: true, editedArgs: { path: 'a2' } },
      { approved: false, reason: 'Keep b.' },
    ]);

    expect(executed).toEqual(['a2']);
    expect(client.pendingInterrupts).toEqual([]);
    expect(outline(client)).toEqual([
      'user:Delete a and b.',
      'assistant:I delete two files. delete_file delete_file read_file',
      'tool:content of c',
      'tool:Keep b.',
      'tool:deleted a2',
      'assistant:Done.',
    ]);
  });

  it('executes a tool of the client, and continues with its result', async () => {
    const { agent } = janitor([calls('pick_color', {}), says('It is blue.')]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();
    await say(client, 'Which colour?', { tools: [COLOR] });
    const [call] = present(client.messages.at(-1)?.toolCalls);
    const { id: toolCallId } = present(call);
    expect(lastEvent(server.events)).toMatchObject({
      outcome: isLatest
        ? { type: 'success', pendingToolCallIds: [toolCallId] }
        : { type: 'success' },
    });
    client.addMessage({ id: 'result', role: 'tool', toolCallId, content: 'blue' });

    const { result } = await client.runAgent({ tools: [COLOR] });

    expect(result).toBe('It is blue.');
    expect(outline(client)).toEqual([
      'user:Which colour?',
      'assistant:pick_color',
      'tool:blue',
      'assistant:It is blue.',
    ]);
  });

  it('supplies a result and a decision for calls of one response', async () => {
    const { agent, executed } = janitor([
      responds(calls('get_location', {}), calls('delete_file', { path: 'a' })),
      says('Both are done.'),
    ]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();
    await say(client, 'Delete a where I am.');
    const [location] = present(client.messages.at(-1)?.toolCalls);
    client.addMessage({
      id: 'result',
      role: 'tool',
      toolCallId: present(location).id,
      content: 'Paris',
    });

    const { result } = await decide(client, [{ approved: true }]);

    expect(result).toBe('Both are done.');
    expect(executed).toEqual(['a']);
  });

  it('shows a sub-agent, and decides its call', async () => {
    const { deleteFile, executed } = shop();
    const helper = new Agent({
      name: 'helper',
      model: scriptedModel(
        responds(says('I tidy up.'), calls('delete_file', { path: 'x' })),
        says('Tidy.'),
      ),
      tools: [deleteFile],
    });
    const lead = new Agent({
      name: 'lead',
      model: scriptedModel(calls('ask_helper', { prompt: 'Tidy up.' }), says('All is done.')),
      tools: [helper.asTool({ name: 'ask_helper' })],
      durability: { ledger: new MemoryLedger() },
    });
    const server = storedThreads(lead, {}, version);
    const client = server.client();
    await say(client, 'Tidy up.');
    const [interrupt] = client.pendingInterrupts;
    const started = server.events.find(({ type }) => type === 'SUBAGENT_STARTED');
    expect(started).toMatchObject({ name: 'ask_helper' });
    expect(server.events).toContainEqual({
      type: 'SUBAGENT_FINISHED',
      subagentRunId: present(interrupt).subagentRunId,
      outcome: { type: 'suspended', interruptIds: [present(interrupt).id] },
    });
    expect(server.events.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT')).toMatchObject([
      { subagentRunId: present(interrupt).subagentRunId },
    ]);
    server.events.length = 0;

    const { result } = await decide(client, [{ approved: true }]);

    expect(result).toBe('All is done.');
    expect(executed).toEqual(['x']);
    expect(server.events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'SUBAGENT_STARTED',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'SUBAGENT_FINISHED',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
  });

  it('receives the open interrupts after a resume that was rejected', async () => {
    const { agent, executed } = janitor([
      responds(calls('delete_file', { path: 'a' }), calls('delete_file', { path: 'b' })),
      says('Done.'),
    ]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();
    await say(client, 'Delete a and b.');
    const before = client.pendingInterrupts.map(({ id }) => id);

    await decide(client, [{ approved: true }, { approved: 'yes' }]);

    expect(executed).toEqual([]);
    expect(client.pendingInterrupts.map(({ id }) => id)).toEqual(before);
    expect(client.pendingInterrupts[1]?.message).toContain('could not be read');
    await decide(client, [{ approved: true }, { approved: false }]);
    expect(executed).toEqual(['a']);
    expect(client.pendingInterrupts).toEqual([]);
  });

  it('continues a thread that another client decided', async () => {
    const { agent, executed } = janitor([calls('delete_file', { path: 'a' }), says('Done.')]);
    const server = storedThreads(agent, {}, version);
    const [client, other] = [server.client(), server.client()];
    await say(client, 'Delete a.');
    const { messages, interrupts } = await (await server.snapshot()).json();
    other.setMessages(messages);
    await other.runAgent({
      resume: [{ interruptId: interrupts[0].id, status: 'resolved', payload: { approved: false } }],
    });

    await decide(client, [{ approved: true }]);

    expect(executed).toEqual([]);
    expect(client.pendingInterrupts).toEqual([]);
    expect(outline(client)).toEqual(outline(other));
  });

  it('responds to a question in another process, after an input that the schema rejects', async () => {
    const { conversations, ...first } = storedThreads(
      bank(calls('pay', { euros: 40 })),
      {},
      version,
    );
    await say(first.client(), 'Pay 40 euros.');
    const { load, save } = conversations;
    const second = storedThreads(bank(says('Paid.')), { load, save }, version);
    const client = second.client();
    const { messages, interrupts } = await (await second.snapshot()).json();
    client.setMessages(messages);
    expect(interrupts).toMatchObject([
      {
        reason: 'input_required',
        message: 'Which account?',
        responseSchema: { enum: ['business', 'private'] },
      },
    ]);
    const respond = (payload: unknown) =>
      client.runAgent({
        resume: [{ interruptId: interrupts[0].id, status: 'resolved', payload }],
      });

    await respond('savings');
    expect(client.pendingInterrupts).toMatchObject([{ id: interrupts[0].id }]);
    expect(client.pendingInterrupts[0]?.message).toMatch(/Which account\?\n.+/);
    const { result } = await respond('business');

    expect(result).toBe('Paid.');
    expect(outline(client)).toContain('tool:40 euros from business');
  });

  it('closes a call without a decision if the user dismisses it', async () => {
    const { agent, executed } = janitor([calls('delete_file', { path: 'a' }), says('All right.')]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();
    await say(client, 'Delete a.');
    const [interrupt] = client.pendingInterrupts;

    await client.runAgent({
      resume: [{ interruptId: present(interrupt).id, status: 'cancelled' }],
    });

    expect(executed).toEqual([]);
    expect(server.events).toContainEqual(
      expect.objectContaining({
        type: 'TOOL_CALL_RESULT',
        content: 'No decision was made: the user dismissed the request.',
        metadata: { holdpoint: { outcome: 'expired' } },
      }),
    );
  });

  it('replaces dismissed calls with a new prompt', async () => {
    const { agent, executed } = janitor([calls('delete_file', { path: 'a' }), says('Hello.')]);
    const server = storedThreads(agent, {}, version);
    const client = server.client();
    await say(client, 'Delete a.');
    const [interrupt] = client.pendingInterrupts;

    const { result } = await say(client, 'Hello instead.', {
      resume: [{ interruptId: present(interrupt).id, status: 'cancelled' }],
    });

    expect(result).toBe('Hello.');
    expect(executed).toEqual([]);
  });

  it('receives an error without the data of the server, and can try again', async () => {
    const failing = tool({
      name: 'fail',
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('secret of the server');
      },
    });
    const agent = new Agent({
      name: 'failing',
      model: scriptedModel(calls('fail', {}), says('Fine now.')),
      tools: [failing],
    });
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const server = storedThreads(agent, { onError }, version);
    const client = server.client();

    await say(client, 'Fail.').catch(() => {});

    expect(lastEvent(server.events)).toMatchObject({ type: 'RUN_ERROR' });
    expect(JSON.stringify(server.events)).not.toContain('secret');
    expect(errors).toHaveLength(1);
    expect(await say(client, 'Try again.')).toMatchObject({ result: 'Fine now.' });
  });
});
