import {
  Agent,
  captureRunMessages,
  type Message,
  type Model,
  type Tool,
  tool,
  UnexpectedModelBehavior,
  UserError,
} from 'holdpoint';
import { calls, functionModel, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { lastPartsOf, partsOf, problemsOf, sentTo } from '../../support/conversation.ts';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';

const broken = new Error('The tool is broken.');
const quick = tool({ name: 'quick', execute: () => 'quick' });
const fails = tool({
  name: 'fails',
  execute: async () => {
    await settled();
    throw broken;
  },
});

/** The error and the messages of a failed run, for each method. */
const ways: [
  string,
  (agent: Agent) => Promise<{ error: unknown; messages: readonly Message[] }>,
][] = [
  [
    'captureRunMessages',
    async (agent) => {
      const captured = await captureRunMessages(() => agent.run('Go.'));
      return { error: 'reason' in captured && captured.reason, messages: captured.messages };
    },
  ],
  [
    'iter',
    async (agent) => {
      const run = agent.iter('Go.');
      const error = await rejectionOf(consume(run));
      return { error, messages: run.messages };
    },
  ],
  [
    'stream',
    async (agent) => {
      const stream = agent.stream('Go.');
      const error = await rejectionOf(consume(stream));
      expect(await rejectionOf(stream.result)).toBe(error);
      return { error, messages: stream.messages };
    },
  ],
];

async function consume(things: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of things);
}

/** The messages that a run leaves when it fails. */
async function messagesOfFailed(agent: Agent): Promise<readonly Message[]> {
  const captured = await captureRunMessages(() => agent.run('Go.'));
  expect(captured.status).toBe('rejected');
  return captured.messages;
}

const agentOf = (model: Model, ...tools: Tool[]) => new Agent({ model, tools });

describe.each(ways)('a failed run, seen through %s', (_way, run) => {
  it('throws the unchanged error of the tool, and keeps the messages so far', async () => {
    const both = responds(calls('quick'), calls('fails'));

    const { error, messages } = await run(agentOf(scriptedModel(both), quick, fails));

    expect(error).toBe(broken);
    expect(messages).toMatchObject([
      { kind: 'request', parts: [{ kind: 'user-prompt' }] },
      { kind: 'response', parts: [{ toolName: 'quick' }, { toolName: 'fails' }] },
      { kind: 'request', state: 'interrupted', parts: [{ toolName: 'quick', content: 'quick' }] },
    ]);
  });

  it('throws the unchanged error of the model: in the first request', async () => {
    const { error, messages } = await run(agentOf(scriptedModel(broken)));

    expect(error).toBe(broken);
    expect(messages).toMatchObject([{ kind: 'request', parts: [{ content: 'Go.' }] }]);
  });

  it('throws the unchanged error of the model: in a later request', async () => {
    const { error, messages } = await run(agentOf(scriptedModel(calls('quick'), broken), quick));

    expect(error).toBe(broken);
    expect(partsOf(messages).map((part) => part.kind)).toEqual([
      'user-prompt',
      'tool-call',
      'tool-return',
    ]);
  });

  it('adds no message if no tool finished', async () => {
    const { error, messages } = await run(agentOf(scriptedModel(calls('fails')), fails));

    expect(error).toBe(broken);
    expect(messages.map((message) => message.kind)).toEqual(['request', 'response']);
  });
});

describe('the siblings of a tool that throws', () => {
  it('are cancelled, and do not start afterwards', async () => {
    const ran: string[] = [];
    const waits = tool({
      name: 'waits',
      execute: (_, ctx) => {
        ctx.signal.addEventListener('abort', () => ran.push(`stopped: ${ctx.signal.reason}`));
        return never();
      },
    });
    const alone = tool({ name: 'alone', sequential: true, execute: () => ran.push('alone') });
    const model = scriptedModel(responds(calls('waits'), calls('fails'), calls('alone')));

    const error = await rejectionOf(new Agent({ model, tools: [waits, fails, alone] }).run('Go.'));

    expect(error).toBe(broken);
    expect(ran).toEqual([`stopped: ${broken}`]);
  });

  it('change nothing if they finish later', async () => {
    const late = latch<string>();
    const events: string[] = [];
    const slow = tool({ name: 'slow', execute: () => late.opened });
    const model = scriptedModel(responds(calls('slow'), calls('fails')));
    const run = new Agent({ model, tools: [slow, fails] }).iter('Go.', {
      onEvent: (event) => void events.push(event.kind),
    });
    await rejectionOf(consume(run));
    const before = {
      messages: [...run.messages],
      calls: run.usage?.toolCalls,
      events: [...events],
    };

    late.open('too late');
    await settled();

    expect({ messages: run.messages, calls: run.usage?.toolCalls, events }).toEqual(before);
  });
});

describe('continuing after a failed run', () => {
  const failing = () =>
    agentOf(scriptedModel(responds(calls('quick'), calls('fails'))), quick, fails);

  it('with a new prompt cancels the interrupted calls permanently', async () => {
    const messageHistory = await messagesOfFailed(failing());
    const model = scriptedModel(says('Sorry about that.'));

    const result = await new Agent({ model }).run('What happened?', { messageHistory });

    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(lastPartsOf(sentTo(model))).toMatchObject([
      { toolName: 'quick', outcome: 'success' },
      { toolName: 'fails', outcome: 'interrupted' },
      { kind: 'user-prompt', content: 'What happened?' },
    ]);
    expect(partsOf(result.messages)).toContainEqual(
      expect.objectContaining({ toolName: 'fails', outcome: 'interrupted' }),
    );
  });

  it('without a prompt cancels the interrupted calls permanently, and executes nothing twice', async () => {
    const messageHistory = await messagesOfFailed(failing());
    const model = scriptedModel(says('Sorry about that.'));

    const result = await new Agent({ model, tools: [quick, fails] }).run(undefined, {
      messageHistory,
    });

    expect(result.output).toBe('Sorry about that.');
    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(problemsOf(result.messages.slice(0, -1))).toEqual([]);
  });

  it('is rejected if no call had finished, because the interruption is not recorded', async () => {
    const failed = agentOf(scriptedModel(calls('fails', {}, { id: 'call-9' })), fails);
    const messageHistory = await messagesOfFailed(failed);

    const error = await rejectionOf(failed.run('What happened?', { messageHistory }));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining("'call-9' (fails)") });
  });

  it('sends the last request again with the ids of its run, and does not count it as new', async () => {
    const messageHistory = await messagesOfFailed(
      agentOf(scriptedModel(calls('quick'), broken), quick),
    );
    const agent = agentOf(scriptedModel(says('Hello.')), quick);

    const result = await agent.run(undefined, { messageHistory });

    const [first, resent] = [messageHistory[0], result.messages.at(-2)];
    expect(resent).toMatchObject({
      parts: [{ toolName: 'quick' }],
      runId: first?.runId,
      conversationId: first?.conversationId,
    });
    expect(result.newMessages).toMatchObject([{ kind: 'response', runId: result.runId }]);
    expect(result.runId).not.toBe(first?.runId);
  });

  it('works after a model error', async () => {
    const messageHistory = await messagesOfFailed(agentOf(scriptedModel(broken)));
    const model = scriptedModel(says('Hello.'), says('Hello again.'));
    const agent = new Agent({ model });

    await agent.run(undefined, { messageHistory });
    await agent.run('Are you there?', { messageHistory });

    expect(model.calls.map((call) => partsOf(call.messages))).toMatchObject([
      [{ content: 'Go.' }],
      [{ content: 'Go.' }, { content: 'Are you there?' }],
    ]);
  });
});

describe('a failed run', () => {
  it('is finished for an iterator: further reads return nothing', async () => {
    const run = agentOf(scriptedModel(broken)).iter('Go.');
    await rejectionOf(consume(run));

    const next = await run.next();

    expect(next).toEqual({ done: true, value: undefined });
  });

  it('keeps the text of an interrupted response', async () => {
    const model = functionModel(() => 'unused', {
      async *stream() {
        yield 'Once upon ';
        yield 'a time';
        throw broken;
      },
    });
    const stream = new Agent({ model }).stream('Tell me a story.');

    const error = await rejectionOf(consume(stream));

    expect(error).toBe(broken);
    expect(stream.messages.at(-1)).toMatchObject({
      kind: 'response',
      state: 'interrupted',
      parts: [{ kind: 'text', content: 'Once upon a time' }],
    });
  });

  it('reports that the stream of a model ended early', async () => {
    const model: Model = {
      name: 'cut',
      system: 'test',
      request: never,
      async *stream() {
        yield { kind: 'part-start', index: 0, part: { kind: 'text', content: 'Once' } };
      },
    };
    const stream = new Agent({ model }).stream('Tell me a story.');

    const error = await rejectionOf(consume(stream));

    expect(error).toBeInstanceOf(UnexpectedModelBehavior);
    expect(lastPartsOf(stream.messages)).toMatchObject([{ content: 'Once' }]);
  });
});
