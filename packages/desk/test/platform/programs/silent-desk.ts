import { sqliteStore, openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel } from 'holdpoint/testing';

/** A desk without `onError` whose operations all fail. */
const model = functionModel(() => {
  const error = new Error('OPENAI_API_KEY is missing.\nSet it.');
  throw Object.assign(error, { name: 'AI_LoadAPIKeyError' });
});

const agent = new Agent({ model, output: [String, DeferredToolRequests] });
const desk = openDesk({
  store: await sqliteStore(),
  agents: { one: { agent } },
  authorize: () => {
    throw new Error('postgres://admin:hunter2@db');
  },
});
const runId = await desk.start('one', 'Go');
for (let attempt = 0; attempt < 3; attempt++) await desk.work({ runId });
const response = await desk.fetch(new Request('http://desk.test/v1/runs'));
console.log(JSON.stringify({ run: await desk.run(runId), response: await response.json() }));
