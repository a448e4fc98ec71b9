// Parks and resumes runs of all kinds, and prints their results.
import { Agent, DeferredToolRequests, MemoryLedger, messageCodec, tool } from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { fakeLanguageModel } from './fake-language-model.ts';
import { following } from './sub-agents.ts';

const executed: string[] = [];
const pay = tool({
  name: 'pay',
  requiresApproval: true,
  timeout: 10_000,
  execute: () => {
    executed.push('pay');
    return 'paid';
  },
});
const look = tool({ name: 'look', timeout: 10_000, execute: () => 'seen' });
const cashier = new Agent({
  name: 'cashier',
  tools: [look, pay],
  model: following(responds(calls('look'), calls('pay')), says('Paid.')),
});
const lead = new Agent({
  tools: [pay, cashier.asTool({ name: 'cashier' })],
  model: following(responds(calls('pay'), calls('cashier', { prompt: 'Pay.' })), says('Done.')),
  output: [String, DeferredToolRequests],
  durability: { ledger: new MemoryLedger() },
});

const parked = await lead.run('Go.');
if (!(parked.output instanceof DeferredToolRequests)) throw new Error('The run did not park.');
const history = messageCodec.parse(messageCodec.stringify(parked.messages));
const results = parked.output.buildResults({ approveAll: true });
const resumed = await lead.run(undefined, {
  messageHistory: history,
  deferredToolResults: results,
});
const talk = await new Agent({ model: fakeLanguageModel() }).run('And now?', {
  messageHistory: resumed.messages,
});

console.log(JSON.stringify({ executed, resumed: resumed.output, talk: talk.output }));
