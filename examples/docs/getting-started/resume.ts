// #region resume
import { readFile } from 'node:fs/promises';
import { loadMessages, requestsFromMessages } from 'holdpoint';
import { agent } from './agent.ts';

const messages = loadMessages(await readFile('parked.json', 'utf8'));
const requests = requestsFromMessages(messages);
if (requests === undefined) throw new Error('Nothing waits in this history.');

const result = await agent.resume({ messages }, requests.buildResults({ approveAll: true }));
console.log(result.output);
// #endregion
