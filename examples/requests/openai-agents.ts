// An agent of OpenAI Agents whose tool needs an approval of the desk: node openai-agents.ts <file of the conversation>
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deskClient, guardCall } from '@holdpoint/desk/client';
import { Agent, run, RunState, setTracingDisabled, tool } from '@openai/agents';
import { model } from './openai-agents-model.ts';
import { pay, refundArgs } from './pay.ts';

const { HOLDPOINT_URL: url = '', HOLDPOINT_KEY: key = '' } = process.env;
const path = process.argv[2] ?? '';
setTracingDisabled(true);

// #region openai-agents
const desk = deskClient({ url, headers: { authorization: `Bearer ${key}` } });

/** Returns a call at the desk. The same tool call has the same request, also after a crash. */
function guard(callId: string, args: unknown) {
  const idempotencyKey = `${path}:${callId}`;
  return guardCall(desk, { tool: 'refund', args: refundArgs.parse(args), idempotencyKey });
}

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: refundArgs,
  needsApproval: true,
  // The arguments of `pay` are those that the approvers approved. They may have edited them.
  execute(args, _, details) {
    assert(details?.toolCall, 'A runner passes the tool call.');
    return guard(details.toolCall.callId, args).execute(pay);
  },
});
const agent = new Agent({ name: 'shop', model, tools: [refund] });

/** Waits for the decisions about the pending calls, and adds them to the state. */
async function addDecisions(state: RunState<undefined, typeof agent>): Promise<void> {
  for (const item of state.getInterruptions()) {
    if (item.rawItem.type !== 'function_call') continue;
    const call = guard(item.rawItem.callId, JSON.parse(item.rawItem.arguments));
    const { approved, reason } = await call.decision();
    if (approved) state.approve(item);
    else state.reject(item, reason === undefined ? {} : { message: reason });
  }
}

let state = existsSync(path)
  ? await RunState.fromString<undefined, typeof agent>(agent, readFileSync(path, 'utf8'))
  : undefined;
for (;;) {
  if (state !== undefined) await addDecisions(state);
  const result = await run(agent, state ?? 'Refund order 17.');
  if (result.interruptions.length === 0) {
    console.log(result.finalOutput);
    break;
  }
  state = result.state;
  // From here on, another process can continue.
  save(state.toString());
}
// #endregion

function save(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
