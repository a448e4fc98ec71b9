import {
  Agent,
  InvalidJsonError,
  type Message,
  type ModelResponse,
  ModelRetry,
  tool,
  UserError,
} from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, partsOf, problemsOf, sentTo } from '../../support/conversation.ts';
import { rejectionOf } from '../../support/latch.ts';
import { richHistory } from '../../support/rich-history.ts';
import { untyped } from '../../support/untyped.ts';

const history = await richHistory();

/** Runs with a new prompt from a history; returns the messages that the model received, or the error. */
async function continueFrom(messageHistory: readonly Message[]) {
  const model = scriptedModel(says('Fine.'));
  const agent = new Agent({ model, instructions: 'Be kind.' });
  try {
    const result = await agent.run('Go on.', { messageHistory });
    return { result, sent: sentTo(model), error: undefined };
  } catch (error) {
    return { result: undefined, sent: [], error };
  }
}

/** True if the last response is complete and has pending calls. */
function waitsForResults(messages: readonly Message[]): boolean {
  const lastResponse = messages.findLastIndex((message) => message.kind === 'response');
  const open = messages[lastResponse]?.parts.filter((part) => part.kind === 'tool-call') ?? [];
  for (const part of partsOf(messages.slice(lastResponse + 1))) {
    if (part.kind !== 'tool-return' && part.kind !== 'retry-prompt') continue;
    const index = open.findIndex((call) => call.toolCallId === part.toolCallId);
    if (index >= 0) open.splice(index, 1);
  }
  return open.length > 0;
}

/** Checks that a model accepts the messages, except for requests that the history itself lacks. */
function expectSendable(sent: readonly Message[]): void {
  const lacksRequests = /two responses in a row/;
  expect(problemsOf(sent).filter((problem) => !lacksRequests.test(problem))).toEqual([]);
  expect(lastPartsOf(sent).at(-1)).toMatchObject({ kind: 'user-prompt', content: 'Go on.' });
}

describe('a history that was cut', () => {
  it.each(Array.from(history.keys(), (index) => [index]))(
    'after %i messages is continued, or rejected if it needs results',
    async (length) => {
      const cut = history.slice(0, length);

      const { sent, error } = await continueFrom(cut);

      if (waitsForResults(cut)) {
        expect(error).toBeInstanceOf(UserError);
      } else {
        expect(error).toBeUndefined();
        expect(problemsOf(sent)).toEqual([]);
        expect(lastPartsOf(sent).at(-1)).toMatchObject({ content: 'Go on.' });
      }
    },
  );

  it.each(Array.from(history.keys(), (index) => [index]))(
    'so that message %i is missing is continued',
    async (index) => {
      const { sent, error } = await continueFrom(history.toSpliced(index, 1));

      expect(error).toBeUndefined();
      expectSendable(sent);
    },
  );

  it('anywhere is continued, or rejected if it needs results', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...history]), async (cut) => {
        const { sent, error } = await continueFrom(cut);

        if (waitsForResults(cut)) expect(error).toBeInstanceOf(UserError);
        else expectSendable(sent);
      }),
      { numRuns: 300 },
    );
  });

  it('and shuffled is continued, or rejected if it needs results', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...history]), async (cut) => {
        const { sent, error } = await continueFrom(cut);

        if (waitsForResults(cut)) expect(error).toBeInstanceOf(UserError);
        else expectSendable(sent);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps a response without its request: no request is added', async () => {
    const { sent } = await continueFrom(history.slice(1));

    expect(sent[0]).toMatchObject({ kind: 'response', parts: history[1]?.parts });
  });

  it('names all calls that need results', async () => {
    const { error } = await continueFrom(history.slice(0, 2));

    expect(error).toMatchObject({
      message: expect.stringMatching(/'call-1' \(look\).*'call-2' \(fail\).*'call-3' \(retry\)/),
    });
  });

  it('between the results of one response is rejected as well', async () => {
    const request = history[2] as Extract<Message, { kind: 'request' }>;
    const partial = { ...request, parts: request.parts.slice(0, 1) };

    const { error } = await continueFrom([...history.slice(0, 2), partial]);

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.not.stringContaining('call-1') });
  });
});

describe('a history from outside', () => {
  const foreign = (): Message[] => JSON.parse(JSON.stringify(history));

  it('is equivalent to a trusted one', async () => {
    const received = await continueFrom(history);
    const theirs = await continueFrom(foreign());

    expect(theirs.sent.slice(0, -1)).toEqual(received.sent.slice(0, -1));
    expect(theirs.result?.messages.slice(0, history.length)).toEqual(history);
  });

  it('is neither frozen nor changed', async () => {
    const messages = foreign();
    const before = structuredClone(messages);

    await continueFrom(messages);

    expect(messages).toEqual(before);
    expect(Object.isFrozen(messages)).toBe(false);
    expect(Object.isFrozen(messages[0])).toBe(false);
    expect(Object.isFrozen(messages[1]?.parts)).toBe(false);
    expect(messages[1]?.parts.some((part) => Object.isFrozen(part))).toBe(false);
  });

  it('may change during the run without an effect', async () => {
    const messages = foreign();
    const model = scriptedModel(() => {
      messages.length = 0;
      return says('Fine.');
    });

    const result = await new Agent({ model }).run('Go on.', { messageHistory: messages });

    expect(result.messages).toHaveLength(history.length + 2);
  });

  it.each([
    ['no list', { kind: 'request' }, 'holdpoint'],
    ['a number', 5, 'document'],
    ['text that is cut off', '[{"kind":"requ', 'document'],
    ['null in the list', [null], 'messages[0]'],
    ['an unknown kind', [{ kind: 'system', parts: [] }], 'messages[0].kind'],
    ['no parts', [{ kind: 'request' }], 'messages[0].parts'],
    [
      'a part of the wrong side',
      [{ kind: 'request', parts: [{ kind: 'text' }] }],
      'messages[0].parts[0].kind',
    ],
    [
      'a call without an id',
      [{ kind: 'response', parts: [{ kind: 'tool-call', toolName: 'a', args: null }] }],
      'messages[0].parts[0].toolCallId',
    ],
    ['messages of another library', [{ role: 'user', content: 'Hi.' }], 'messages[0].kind'],
  ])('is rejected with the path of the error: %s', async (_what, messageHistory, path) => {
    const model = scriptedModel();

    const error = await rejectionOf(
      new Agent({ model }).run('Go on.', { messageHistory: untyped(messageHistory) }),
    );

    expect(error).toBeInstanceOf(InvalidJsonError);
    expect(error).toMatchObject({ path });
    expect(model.calls).toEqual([]);
  });
});

describe('continuing without a prompt', () => {
  const response = (state: ModelResponse['state'], ...ids: string[]): ModelResponse => ({
    kind: 'response',
    modelName: 'scripted',
    parts: ids.map((id) => ({ kind: 'tool-call', toolName: 'pay', toolCallId: id, args: null })),
    state,
  });
  const prompt: Message = { kind: 'request', parts: [{ kind: 'user-prompt', content: 'Pay.' }] };
  const Amount = z.object({ amount: z.number() });
  const outputCall = (state: ModelResponse['state']): Message => ({
    kind: 'response',
    modelName: 'scripted',
    parts: [{ kind: 'tool-call', toolName: 'final_result', toolCallId: 'o', args: { amount: 5 } }],
    state,
  });

  /** Continues the history with a tool that records its calls. */
  async function continuePaying(messageHistory: readonly Message[]) {
    const paid: (string | undefined)[] = [];
    const model = scriptedModel(says('Paid.'));
    const pay = tool({ name: 'pay', execute: (_, ctx) => paid.push(ctx.toolCallId) });
    const result = await new Agent({ model, tools: [pay] }).run(undefined, { messageHistory });
    return { paid, result, sent: model.calls[0]?.messages ?? [] };
  }

  it('executes the calls that the history ends with', async () => {
    const { paid, sent } = await continuePaying([prompt, response('complete', 'a', 'b')]);

    expect(paid).toEqual(['a', 'b']);
    expect(problemsOf(sent)).toEqual([]);
  });

  it('executes the calls without a result in the last request', async () => {
    const result: Message = {
      kind: 'request',
      parts: [
        { kind: 'tool-return', toolName: 'pay', toolCallId: 'a', content: 1, outcome: 'success' },
      ],
    };

    const { paid, sent } = await continuePaying([prompt, response('complete', 'a', 'b'), result]);

    expect(paid).toEqual(['b']);
    expect(problemsOf(sent)).toEqual([]);
  });

  it('processes the output that the history ends with before it sends instructions', async () => {
    const model = scriptedModel();
    const agent = new Agent({
      model,
      instructions: 'Be kind.',
      output: Amount,
    });

    const messageHistory = [prompt, outputCall('complete')];
    const result = await agent.run(undefined, { messageHistory });

    expect(result.output).toEqual({ amount: 5 });
    expect(model.calls).toEqual([]);
  });

  it.each(['complete', 'interrupted'] as const)(
    'records that a new prompt cancelled an output: response %s',
    async (state) => {
      const model = scriptedModel(calls('final_result', { amount: 6 }));
      const agent = new Agent({ model, output: Amount });

      const result = await agent.run('Again.', { messageHistory: [prompt, outputCall(state)] });

      expect(result.output).toEqual({ amount: 6 });
      expect(result.messages[2]).toMatchObject({
        parts: [{ kind: 'tool-return', toolCallId: 'o', outcome: 'interrupted' }],
      });
      expect(problemsOf(sentTo(model))).toEqual([]);
    },
  );

  it('takes the text that the history ends with as the output of step 1', async () => {
    const fine: Message = {
      kind: 'response',
      modelName: 'scripted',
      parts: [{ kind: 'text', content: 'Fine.' }],
    };
    const steps: number[] = [];
    const pay = tool({
      name: 'pay',
      prepare({ runStep }, definition) {
        steps.push(runStep);
        return definition;
      },
      execute: () => 'paid',
    });
    const model = scriptedModel(says('Better.'));
    const agent = new Agent({
      model,
      tools: [pay],
      outputValidators: [
        (output, { runStep }) => {
          steps.push(runStep);
          if (output === 'Fine.') throw new ModelRetry('Try again.');
          return output;
        },
      ],
    });

    const result = await agent.run(undefined, { messageHistory: [prompt, fine] });

    expect(result.output).toBe('Better.');
    expect(steps).toEqual([1, 1, 1]);
  });

  it('cancels the calls of an interrupted response, and executes none', async () => {
    const { paid, result, sent } = await continuePaying([prompt, response('interrupted', 'a')]);

    expect(paid).toEqual([]);
    expect(problemsOf(sent)).toEqual([]);
    expect(partsOf(result.messages)).toContainEqual(
      expect.objectContaining({ toolCallId: 'a', outcome: 'interrupted' }),
    );
  });
});
