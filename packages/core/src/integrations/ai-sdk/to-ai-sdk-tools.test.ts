import { generateText, isStepCount, type ModelMessage, streamText } from 'ai';
import type { createOpenAI } from '@ai-sdk/openai';
import {
  ApprovalRequired,
  CallDeferred,
  ModelRetry,
  type RunContext,
  tool,
  ToolFailed,
  UserError,
} from 'holdpoint';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { present } from '../../../test/support/present.ts';
import { calls, says } from '../../../test/support/provider-server.ts';
import { serverForEachTest } from '../../../test/support/server-for-each-test.ts';
import type { LanguageModel } from '../../models/ai-sdk/language-model.ts';
import { toAiSdkTools } from './to-ai-sdk-tools.ts';

const server = serverForEachTest();

type AiModel = ReturnType<ReturnType<typeof createOpenAI>>;
// The server gives the real client, by the part of its shape that our adapter reads.
const model = () => server.model('openai-responses') as LanguageModel as unknown as AiModel;
const stopWhen = isStepCount(3);

/** What the model was told of its last call. */
function told(): unknown {
  const input = server.requests.at(-1)?.body['input'] as { type?: string; output?: unknown }[];
  return input.findLast((item) => item.type === 'function_call_output')?.output;
}

const deleted: string[] = [];
const deleteFile = tool({
  name: 'delete_file',
  description: 'Deletes a file.',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute: ({ path }, ctx) => {
    deleted.push(path);
    return { deleted: path, approved: ctx.toolCallApproved };
  },
});
beforeEach(() => void deleted.splice(0));

describe('a tool of ours in the AI SDK', () => {
  it('is offered and called by generateText, with arguments validated once', async () => {
    const double = tool({
      name: 'double',
      description: 'Doubles a number.',
      inputSchema: z.object({ n: z.string().transform(Number) }),
      execute: ({ n }) => ({ doubled: n * 2 }),
    });
    server.script(calls('double', { n: '21' }), says('42.'));

    const tools = toAiSdkTools([double]);
    const result = await generateText({ model: model(), tools, prompt: 'Double 21.', stopWhen });

    expect(result.text).toBe('42.');
    expect(server.requests[0]?.body['tools']).toMatchObject([
      {
        type: 'function',
        name: 'double',
        description: 'Doubles a number.',
        parameters: { properties: { n: { type: 'string' } } },
      },
    ]);
    expect(told()).toBe('{"doubled":42}');
  });

  it('works in streamText too', async () => {
    const hello = tool({ name: 'hello', execute: () => 'Hello!' });
    server.script(calls('hello', {}), says('Said it.'));

    const tools = toAiSdkTools({ hello });
    const { text } = streamText({ model: model(), tools, prompt: 'Greet.', stopWhen });

    expect(await text).toBe('Said it.');
    expect(told()).toBe('Hello!');
  });

  it('gets the deps that it needs', async () => {
    const whoAmI = tool({
      name: 'who_am_i',
      execute: (_, ctx: RunContext<{ user: string }>) => ctx.deps.user,
    });
    server.script(calls('who_am_i', {}), says('Ada.'));

    // @ts-expect-error: The deps are missing.
    toAiSdkTools([whoAmI]);
    const tools = toAiSdkTools([whoAmI], { deps: { user: 'Ada' } });
    await generateText({ model: model(), tools, prompt: 'Who am I?', stopWhen });

    expect(told()).toBe('Ada');
  });

  it('can call the others', async () => {
    const inner = tool({ name: 'inner', execute: () => 7 });
    const outer = tool({ name: 'outer', execute: (_, ctx) => ctx.toolManager.call('inner') });
    server.script(calls('outer', {}), says('7.'));

    const tools = toAiSdkTools([inner, outer]);
    await generateText({ model: model(), tools, prompt: 'Go.', stopWhen });

    expect(told()).toBe('7');
  });

  it.each([
    ['arguments that do not fit', { n: 'x' }, /n/],
    ['a ModelRetry', { n: 1 }, /Try a larger one\./],
    ['a ToolFailed', { n: 2 }, /It is closed\./],
    ['any other error', { n: 3 }, /It broke\./],
    ['a deferred call', { n: 4 }, /cannot wait for/],
    ['an approval that is asked for in the middle', { n: 5 }, /hold no approval/],
  ])('tells the model of %s', async (_, args, expected) => {
    const picky = tool({
      name: 'picky',
      inputSchema: z.object({ n: z.number() }),
      execute({ n }) {
        if (n === 1) throw new ModelRetry('Try a larger one.');
        if (n === 2) throw new ToolFailed('It is closed.');
        if (n === 3) throw new Error('It broke.');
        if (n === 4) throw new CallDeferred();
        throw new ApprovalRequired();
      },
    });
    server.script(calls('picky', args), says('Well.'));

    const tools = toAiSdkTools([picky]);
    await generateText({ model: model(), tools, prompt: 'Go.', stopWhen });

    expect(told()).toMatch(expected);
  });

  it('ends when the AI SDK is aborted', async () => {
    const controller = new AbortController();
    const wait = tool({
      name: 'wait',
      execute: (_, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
          controller.abort(new Error('enough'));
        }),
    });

    const { execute } = present(toAiSdkTools([wait])['wait']);
    const options = { toolCallId: 'c1', messages: [], abortSignal: controller.signal };

    await expect(execute({}, options)).rejects.toThrow('enough');
  });

  it('is refused where the AI SDK would not keep to what it says', () => {
    const one = { name: 'it', execute: () => 1 };

    expect(() => toAiSdkTools([tool({ ...one, sequential: true })])).toThrow(/'it' runs alone/);
    expect(() => toAiSdkTools([tool({ ...one, deferLoading: true })])).toThrow(/is hidden/);
    expect(() => toAiSdkTools([tool({ ...one, prepare: () => undefined })])).toThrow(/is prepared/);
    expect(() => toAiSdkTools([tool({ execute: () => 1 })])).toThrow(UserError);
  });
});

describe('a tool of ours that needs approval, in the AI SDK', () => {
  it('runs only after the AI SDK has asked and somebody has approved', async () => {
    server.script(calls('delete_file', { path: '.env' }), says('Deleted.'));
    const tools = toAiSdkTools([deleteFile]);
    const prompt: ModelMessage = { role: 'user', content: 'Delete .env' };

    const asked = await generateText({ model: model(), tools, messages: [prompt], stopWhen });

    expect(deleted).toEqual([]);
    const request = asked.content.find((part) => part.type === 'tool-approval-request');
    if (request?.type !== 'tool-approval-request') throw new Error('It did not ask.');

    const { approvalId } = request;
    const answer: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved: true }],
    };
    const messages = [prompt, ...asked.response.messages, answer];
    const done = await generateText({ model: model(), tools, messages, stopWhen });

    expect(done.text).toBe('Deleted.');
    expect(deleted).toEqual(['.env']);
    expect(told()).toBe('{"deleted":".env","approved":true}');
  });

  it('does not run when somebody has denied the call', async () => {
    server.script(calls('delete_file', { path: '.env' }), says('Kept.'));
    const tools = toAiSdkTools([deleteFile]);
    const prompt: ModelMessage = { role: 'user', content: 'Delete .env' };
    const asked = await generateText({ model: model(), tools, messages: [prompt], stopWhen });
    const request = asked.content.find((part) => part.type === 'tool-approval-request');
    const approvalId = request?.type === 'tool-approval-request' ? request.approvalId : '';

    const answer: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved: false }],
    };
    const messages = [prompt, ...asked.response.messages, answer];
    await generateText({ model: model(), tools, messages, stopWhen });

    expect(deleted).toEqual([]);
  });

  it('does not run where the AI SDK was told not to ask', async () => {
    server.script(calls('delete_file', { path: '.env' }), says('Well.'));
    const tools = toAiSdkTools([deleteFile]);

    const toolApproval = { delete_file: 'not-applicable' } as const;
    await generateText({ model: model(), tools, toolApproval, prompt: 'Delete .env', stopWhen });

    expect(deleted).toEqual([]);
    expect(told()).toMatch(/hold no approval/);
  });

  it('does not run on an approval of an earlier call with the same id', async () => {
    const { execute } = present(toAiSdkTools([deleteFile])['delete_file']);
    const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
    const response = { type: 'tool-approval-response', approvalId: 'a1', approved: true };
    const messages = [
      { role: 'assistant', content: [request] },
      { role: 'tool', content: [response] },
    ];
    const run = (more: readonly unknown[], toolCallId = 'c1') =>
      execute({ path: '.env' }, { toolCallId, messages: [...messages, ...more] });

    await expect(run([{ role: 'user', content: 'Again.' }])).rejects.toThrow(/hold no approval/);
    await expect(run([], 'c2')).rejects.toThrow(/hold no approval/);
    const denied = { role: 'tool', content: [response, { ...response, approved: false }] };
    await expect(run([denied])).rejects.toThrow(/hold no approval/);
    expect(deleted).toEqual([]);
    await expect(run([])).resolves.toEqual({ deleted: '.env', approved: true });
  });

  it('asks only for the calls that need it, without executing anything', async () => {
    const ran: number[] = [];
    const pay = tool({
      name: 'pay',
      inputSchema: z.object({ amount: z.number() }),
      requiresApproval: ({ amount }) => amount > 100,
      execute: ({ amount }) => {
        ran.push(amount);
        return 'paid';
      },
    });
    const { needsApproval } = present(toAiSdkTools([pay])['pay']);
    const options = { toolCallId: 'c1', messages: [] };

    expect(await needsApproval({ amount: 7 }, options)).toBe(false);
    expect(await needsApproval({ amount: 700 }, options)).toBe(true);
    expect(await needsApproval({ amount: 'much' }, options)).toBe(false);
    expect(ran).toEqual([]);
  });
});
