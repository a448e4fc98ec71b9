// #region resume
import { readFile } from 'node:fs/promises';
import { messageCodec, requestsFromMessages } from 'holdpoint';
import { agent } from './agent.ts';

const messages = messageCodec.parse(await readFile('parked.json', 'utf8'));
const requests = requestsFromMessages(messages);
if (requests === undefined) throw new Error('This run has no pending calls.');

const decisions = [...requests].map((call) => call.approve());
const result = await agent.resume({ messages }, requests.buildResults(decisions));
console.log(result.output);
// #endregion
