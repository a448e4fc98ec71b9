// #region resume
import { readFile } from 'node:fs/promises';
import { messageCodec, requestsFromMessages } from 'holdpoint';
import { agent } from './agent.ts';

const messages = messageCodec.parse(await readFile('parked.json', 'utf8'));
const requests = requestsFromMessages(messages);
if (requests === undefined) throw new Error('Nothing waits in this history.');

const result = await agent.resume({ messages }, requests.buildResults({ approveAll: true }));
console.log(result.output);
// #endregion
