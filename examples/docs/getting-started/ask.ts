// #region ask
import { createInterface } from 'node:readline/promises';
import { type ApprovalDecision, type DeferredToolHandler, ToolDenied } from 'holdpoint';
import { agent } from './agent.ts';

const terminal = createInterface({ input: process.stdin, output: process.stdout });

const ask: DeferredToolHandler = async (requests, ctx) => {
  const approvals: Record<string, ApprovalDecision> = {};
  for (const call of requests.approvals) {
    const question = `${call.toolName} ${JSON.stringify(requests.get(call).args)}? (y/n) `;
    const said = await terminal.question(question, { signal: ctx.signal });
    approvals[call.toolCallId] = said === 'y' ? true : new ToolDenied('The user said no.');
  }
  return requests.buildResults({ approvals });
};

const result = await agent.run('Delete the draft.', { deferredToolHandler: ask });
console.log(result.output);
terminal.close();
// #endregion
