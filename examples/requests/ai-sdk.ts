// An agent of the AI SDK whose tool needs an approval of the desk: node ai-sdk.ts <file of the conversation>
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deskClient, guardCall } from '@holdpoint/desk/client';
import { generateText, isStepCount, type ModelMessage, tool } from 'ai';
import type { z } from 'zod';
import { model } from './ai-sdk-model.ts';
import { pay, refundArgs } from './pay.ts';

const { HOLDPOINT_URL: url = '', HOLDPOINT_KEY: key = '' } = process.env;
const path = process.argv[2] ?? '';

// #region tool
const desk = deskClient({ url, headers: { authorization: `Bearer ${key}` } });

/** Returns a call at the desk. The same tool call has the same request, also after a crash. */
function guard(toolCallId: string, args: z.infer<typeof refundArgs>) {
  return guardCall(desk, { tool: 'refund', args, idempotencyKey: `${path}:${toolCallId}` });
}

const refund = tool({
  description: 'Refunds an order.',
  inputSchema: refundArgs,
  needsApproval: true,
  // The arguments of `pay` are those that the approvers approved. They may have edited them.
  execute: (args, { toolCallId }) => guard(toolCallId, args).execute(pay),
});
// #endregion

// #region loop
/** A conversation that any process can continue. */
interface Chat {
  messages: ModelMessage[];
  /** The calls that need a decision. */
  pending: { approvalId: string; toolCallId: string; args: z.infer<typeof refundArgs> }[];
}

/** Waits for the decisions about the pending calls, and adds them to the messages. */
async function addDecisions({ messages, pending }: Chat): Promise<void> {
  for (const { approvalId, toolCallId, args } of pending) {
    const { approved, reason } = await guard(toolCallId, args).decision();
    const response = { type: 'tool-approval-response', approvalId, approved } as const;
    messages.push({ role: 'tool', content: [{ ...response, ...(reason && { reason }) }] });
  }
}

async function run(chat: Chat): Promise<string> {
  const { messages } = chat;
  for (;;) {
    await addDecisions(chat);
    const settings = { model, tools: { refund }, messages, stopWhen: isStepCount(5) };
    const { text, content, response } = await generateText(settings);
    messages.push(...response.messages);
    chat.pending = content.flatMap((part) =>
      part.type === 'tool-approval-request' && !part.toolCall.dynamic
        ? {
            approvalId: part.approvalId,
            toolCallId: part.toolCall.toolCallId,
            args: part.toolCall.input,
          }
        : [],
    );
    if (chat.pending.length === 0) return text;
    // From here on, another process can continue.
    save(chat);
  }
}
// #endregion

function load(): Chat {
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  return { messages: [{ role: 'user', content: 'Refund order 17.' }], pending: [] };
}

function save(chat: Chat): void {
  writeFileSync(`${path}.new`, JSON.stringify(chat));
  renameSync(`${path}.new`, path);
}

console.log(await run(load()));
