// A program that resumes the run in a file, approves all calls, and prints the idempotency key of
// the call.
import { readFileSync } from 'node:fs';
import { Agent, messageCodec, requestsFromMessages, tool } from 'holdpoint';
import { says, scriptedModel } from 'holdpoint/testing';

const charge = tool({
  name: 'charge',
  requiresApproval: true,
  execute: (_args, ctx) => console.log(ctx.idempotencyKey),
});

const messages = messageCodec.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const agent = new Agent({ model: scriptedModel(says('Done.')), tools: [charge] });
const requests = requestsFromMessages(messages);
if (requests !== undefined) {
  await agent.resume({ messages }, requests.buildResults({ approveAll: true }));
}
