// An agent of the AI SDK whose tool needs an approval of the desk: node agent.ts <file of the conversation>
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deskClient, executeRequest } from '@holdpoint/desk/client';
import { generateText, isStepCount, type ModelMessage, tool } from 'ai';
import { z } from 'zod';
import { model } from './model.ts';

const { HOLDPOINT_URL: url = '', HOLDPOINT_KEY: key = '', JOURNAL: journal = '' } = process.env;
const path = process.argv[2] ?? '';

// #region tool
const desk = deskClient({ url, headers: { authorization: `Bearer ${key}` } });

/** Creates the request of a call. The same call gets the same request, also after a crash. */
function requestFor(toolCallId: string, args: { order: string; euros: number }) {
  return desk.request({ tool: 'refund', args, idempotencyKey: `${path}:${toolCallId}` });
}

const refund = tool({
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  needsApproval: true,
  async execute(args, { toolCallId }) {
    const { id } = await requestFor(toolCallId, args);
    // The arguments are those that the approvers approved. They may have edited them.
    const { outcome } = await executeRequest(desk, id, (approved) => pay(approved));
    return outcome;
  },
});
// #endregion

function pay(args: object): string {
  appendFileSync(journal, `${JSON.stringify(args)}\n`);
  return 'paid';
}

// #region loop
/** A conversation that any process can continue. */
interface Chat {
  messages: ModelMessage[];
  /** The calls that need a decision. */
  pending: { approvalId: string; toolCallId: string; args: { order: string; euros: number } }[];
}

/** Waits for the decisions about the pending calls, however long it takes, and adds them to the messages. */
async function addDecisions({ messages, pending }: Chat): Promise<void> {
  for (const { approvalId, toolCallId, args } of pending) {
    let request = await requestFor(toolCallId, args);
    while (request.state === 'pending') request = await desk.getRequest(request.id, { wait: 20 });
    const { state, decision } = request;
    const approved = !['denied', 'expired', 'cancelled'].includes(state);
    const part = { type: 'tool-approval-response', approvalId, approved } as const;
    const { reason } = decision ?? {};
    messages.push({ role: 'tool', content: [{ ...part, ...(reason && { reason }) }] });
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
