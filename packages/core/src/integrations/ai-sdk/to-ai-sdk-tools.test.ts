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
// The server returns the real client, typed as the part of it that the adapter reads.
const model = () => server.model('openai-responses') as LanguageModel as unknown as AiModel;
const stopWhen = isStepCount(3);

/** Returns the last tool result that the model received. */
function lastToolResult(): unknown {
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

describe('toAiSdkTools', () => {
  it('validates the arguments of a call of generateText once', async () => {
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
    expect(lastToolResult()).toBe('{"doubled":42}');
  });

  it('executes a call of streamText', async () => {
    const hello = tool({ name: 'hello', execute: () => 'Hello!' });
    server.script(calls('hello', {}), says('Said it.'));

    const tools = toAiSdkTools({ hello });
    const { text } = streamText({ model: model(), tools, prompt: 'Greet.', stopWhen });

    expect(await text).toBe('Said it.');
    expect(lastToolResult()).toBe('Hello!');
  });

  it('passes deps to the tools', async () => {
    const whoAmI = tool({
      name: 'who_am_i',
      execute: (_, ctx: RunContext<{ user: string }>) => ctx.deps.user,
    });
    server.script(calls('who_am_i', {}), says('Ada.'));

    // @ts-expect-error: The deps are missing.
    toAiSdkTools([whoAmI]);
    const tools = toAiSdkTools([whoAmI], { deps: { user: 'Ada' } });
    await generateText({ model: model(), tools, prompt: 'Who am I?', stopWhen });

    expect(lastToolResult()).toBe('Ada');
  });

  it('permits a tool to call another tool', async () => {
    const inner = tool({ name: 'inner', execute: () => 7 });
    const outer = tool({ name: 'outer', execute: (_, ctx) => ctx.toolManager.call('inner') });
    server.script(calls('outer', {}), says('7.'));

    const tools = toAiSdkTools([inner, outer]);
    await generateText({ model: model(), tools, prompt: 'Go.', stopWhen });

    expect(lastToolResult()).toBe('7');
  });

  it.each([
    ['arguments that do not fit', { n: 'x' }, /n/],
    ['a ModelRetry', { n: 1 }, /Try a larger one\./],
    ['a ToolFailed', { n: 2 }, /It is closed\./],
    ['any other error', { n: 3 }, /It broke\./],
    ['a deferred call', { n: 4 }, /cannot park a run/],
    ['an approval that the tool requires during the execution', { n: 5 }, /contain no approval/],
  ])('sends the model the message of %s', async (_, args, expected) => {
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

    expect(lastToolResult()).toMatch(expected);
  });

  it('aborts the call when the AI SDK aborts', async () => {
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

  it('rejects tools with options that the AI SDK does not support', () => {
    const one = { name: 'it', execute: () => 1 };

    expect(() => toAiSdkTools([tool({ ...one, sequential: true })])).toThrow(
      /`it` has the option `sequential`/,
    );
    expect(() => toAiSdkTools([tool({ ...one, deferLoading: true })])).toThrow(
      /option `deferLoading`/,
    );
    expect(() => toAiSdkTools([tool({ ...one, prepare: () => undefined })])).toThrow(
      /option `prepare`/,
    );
    expect(() => toAiSdkTools([tool({ execute: () => 1 })])).toThrow(UserError);
  });
});

describe('toAiSdkTools with a tool that requires approval', () => {
  it('executes a call only after the approver approved it in the AI SDK', async () => {
    server.script(calls('delete_file', { path: '.env' }), says('Deleted.'));
    const tools = toAiSdkTools([deleteFile]);
    const prompt: ModelMessage = { role: 'user', content: 'Delete .env' };

    const parked = await generateText({ model: model(), tools, messages: [prompt], stopWhen });

    expect(deleted).toEqual([]);
    const request = parked.content.find((part) => part.type === 'tool-approval-request');
    if (request?.type !== 'tool-approval-request') throw new Error('There is no approval request.');

    const { approvalId } = request;
    const decision: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved: true }],
    };
    const messages = [prompt, ...parked.response.messages, decision];
    const done = await generateText({ model: model(), tools, messages, stopWhen });

    expect(done.text).toBe('Deleted.');
    expect(deleted).toEqual(['.env']);
    expect(lastToolResult()).toBe('{"deleted":".env","approved":true}');
  });

  it('does not execute a call that the approver denied', async () => {
    server.script(calls('delete_file', { path: '.env' }), says('Kept.'));
    const tools = toAiSdkTools([deleteFile]);
    const prompt: ModelMessage = { role: 'user', content: 'Delete .env' };
    const parked = await generateText({ model: model(), tools, messages: [prompt], stopWhen });
    const request = parked.content.find((part) => part.type === 'tool-approval-request');
    const approvalId = request?.type === 'tool-approval-request' ? request.approvalId : '';

    const decision: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved: false }],
    };
    const messages = [prompt, ...parked.response.messages, decision];
    await generateText({ model: model(), tools, messages, stopWhen });

    expect(deleted).toEqual([]);
  });

  it('does not execute a call for which the AI SDK skipped the approval request', async () => {
    server.script(calls('delete_file', { path: '.env' }), says('Well.'));
    const tools = toAiSdkTools([deleteFile]);

    const toolApproval = { delete_file: 'not-applicable' } as const;
    await generateText({ model: model(), tools, toolApproval, prompt: 'Delete .env', stopWhen });

    expect(deleted).toEqual([]);
    expect(lastToolResult()).toMatch(/contain no approval/);
  });

  it('does not execute a call on the approval of an earlier call with the same id', async () => {
    const { execute } = present(toAiSdkTools([deleteFile])['delete_file']);
    const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
    const response = { type: 'tool-approval-response', approvalId: 'a1', approved: true };
    const messages = [
      { role: 'assistant', content: [request] },
      { role: 'tool', content: [response] },
    ];
    const run = (more: readonly unknown[], toolCallId = 'c1') =>
      execute({ path: '.env' }, { toolCallId, messages: [...messages, ...more] });

    await expect(run([{ role: 'user', content: 'Again.' }])).rejects.toThrow(/contain no approval/);
    await expect(run([], 'c2')).rejects.toThrow(/contain no approval/);
    const denied = { role: 'tool', content: [response, { ...response, approved: false }] };
    await expect(run([denied])).rejects.toThrow(/contain no approval/);
    expect(deleted).toEqual([]);
    await expect(run([])).resolves.toEqual({ deleted: '.env', approved: true });
  });

  it('determines which calls require approval without executing anything', async () => {
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
