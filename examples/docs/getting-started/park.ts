// #region park
import { writeFile } from 'node:fs/promises';
import { DeferredToolRequests, messageCodec } from 'holdpoint';
import { agent } from './agent.ts';

const result = await agent.run('Delete the draft.', { output: [String, DeferredToolRequests] });

if (result.status === 'parked') {
  await writeFile('parked.json', messageCodec.stringify(result.messages));
  for (const call of result.output) {
    console.log('pending:', call.toolName, JSON.stringify(call.args));
  }
} else {
  console.log(result.output);
}
// #endregion
