// #region ask
import { createInterface } from 'node:readline/promises';
import type { DecisionEntry, DeferredToolHandler } from 'holdpoint';
import { agent } from './agent.ts';

const terminal = createInterface({ input: process.stdin, output: process.stdout });

const ask: DeferredToolHandler = async (requests, ctx) => {
  const decisions: DecisionEntry[] = [];
  for (const call of requests) {
    const question = `${call.toolName} ${JSON.stringify(call.args)}? (y/n) `;
    const input = await terminal.question(question, { signal: ctx.signal });
    decisions.push(input === 'y' ? call.approve() : call.deny('The user denied it.'));
  }
  return requests.buildResults(decisions);
};

const result = await agent.run('Delete the draft.', { deferredToolHandler: ask });
console.log(result.output);
terminal.close();
// #endregion
