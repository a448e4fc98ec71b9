import assert from 'node:assert/strict';
import { calls, says, scriptedModel } from 'holdpoint/testing';
// #region agent
import { openai } from '@ai-sdk/openai';
import { Agent, tool } from 'holdpoint';
import { z } from 'zod';

const forecast = tool({
  name: 'forecast',
  description: 'The weather forecast for a city.',
  inputSchema: z.object({ city: z.string(), days: z.number().int().max(7).default(1) }),
  execute: async ({ city, days }) => fetchForecast(city, days),
});

const agent = new Agent({
  model: openai('gpt-5'),
  instructions: 'Respond in one sentence.',
  tools: [forecast],
});
// #endregion

async function fetchForecast(city: string, days: number) {
  return Array.from({ length: days }, (_, day) => ({ city, day, rain: day === 0 }));
}

const text = 'Yes: it rains in Lyon today, and tomorrow is dry.';
const model = scriptedModel(calls('forecast', { city: 'Lyon', days: 2 }), says(text));

await agent.override({ model }, async () => {
  // #region agent
  const result = await agent.run('Do I need an umbrella in Lyon?');
  console.log(result.output);
  // #endregion
  assert.equal(result.output, text);
  assert.equal(result.usage.toolCalls, 1);
});
