// Tools and their options, for docs/tools.md.
import assert from 'node:assert/strict';
import {
  Agent,
  type AgentWith,
  binaryContent,
  fromJsonSchema,
  ModelRetry,
  type RunContext,
  tool,
  ToolFailed,
  ToolReturn,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

interface Shop {
  readonly prices: ReadonlyMap<string, number>;
}

// #region agent-with
/** Accepts any agent that returns text and needs only prices. */
async function ask(agent: AgentWith<string, Shop>, question: string, prices: Shop['prices']) {
  const { output } = await agent.run(question, { deps: { prices } });
  return output; // a string
}
// #endregion

// #region tool
const price = tool({
  name: 'price',
  description: 'Returns the price of an item, in cents.',
  inputSchema: z.object({
    item: z.string().describe('The item, in the singular.'),
    count: z.number().int().positive().default(1),
  }),
  execute({ item, count }, ctx: RunContext<Shop>) {
    const cents = ctx.deps.prices.get(item);
    if (cents === undefined) throw new ModelRetry(`There is no '${item}'. Try another word.`);
    return cents * count;
  },
});
// #endregion

{
  const model = scriptedModel(
    calls('price', { item: 'bread', count: 'two' }), // does not match the schema
    calls('price', { item: 'loaf' }), // unknown to the tool
    calls('price', { item: 'bread', count: 2 }),
    says('Five euros.'),
  );
  // #region deps
  const clerk = new Agent({ model, tools: [price], retries: 2 });

  const prices = new Map([['bread', 250]]);
  const { output } = await clerk.run('What are two loaves?', { deps: { prices } });
  // #endregion
  assert.equal(output, 'Five euros.');
  const other = new Agent({ model: scriptedModel(says('It is cheap.')), tools: [price] });
  assert.equal(await ask(other, 'Is bread cheap?', prices), 'It is cheap.');
  const received = model.calls.slice(1).map(({ messages }) => messages.at(-1)?.parts[0]?.kind);
  assert.deepEqual(received, ['retry-prompt', 'retry-prompt', 'tool-return']);
}

{
  // #region frozen
  const rank = tool({
    name: 'rank',
    inputSchema: z.object({ words: z.array(z.string()) }),
    execute({ words }) {
      // words.sort() does not compile: the list is `readonly string[]`.
      return words.toSorted();
    },
  });
  // #endregion
  const model = scriptedModel(calls('rank', { words: ['b', 'a'] }), says('Ranked.'));
  const { messages } = await new Agent({ model, tools: [rank] }).run('Rank them.');
  const [ranked] = messages[2]?.parts ?? [];
  assert.ok(ranked?.kind === 'tool-return');
  assert.deepEqual(ranked.content, ['a', 'b']);
}

{
  const model = scriptedModel(calls('now'), calls('two'), says('Done.'));
  // #region record
  const agent = new Agent({
    model,
    tools: {
      now: tool({ description: 'Returns the time.', execute: () => new Date(0).toISOString() }),
      two: tool({ description: 'Returns a number.', execute: () => 2 }),
    },
  });
  // #endregion
  assert.equal((await agent.run('Go.')).output, 'Done.');
}

{
  const deliver = tool({
    name: 'deliver',
    // #region failed
    execute() {
      throw new ToolFailed('No driver is free today.');
    },
    // #endregion
  });
  const chart = tool({
    name: 'chart',
    inputSchema: z.object({ days: z.number() }),
    // #region return
    async execute({ days }) {
      const png = await draw(days);
      return new ToolReturn({
        returnValue: `A chart of ${days} days.`,
        content: [binaryContent(png, 'image/png')], // the model sees it after the results
        metadata: { days }, // for the application; the model does not see it
      });
    },
    // #endregion
  });
  const draw = async (days: number) => new Uint8Array(days);
  const model = scriptedModel(
    responds(calls('deliver'), calls('chart', { days: 3 })),
    says('Well.'),
  );
  const { messages } = await new Agent({ model, tools: [deliver, chart] }).run('Go.');
  const parts = messages[2]?.parts ?? [];
  assert.ok(parts[0]?.kind === 'tool-return' && parts[0].outcome === 'failed');
  assert.ok(parts[1]?.kind === 'tool-return');
  assert.deepEqual(parts[1].metadata, { days: 3 });
}

{
  const save = tool({
    name: 'save',
    inputSchema: z.object({ text: z.string() }),
    // #region options
    timeout: 10_000, // milliseconds; then the model receives a retry prompt
    maxRetries: 3, // instead of the `retries` of the agent
    sequential: true, // no other call executes at the same time
    argsValidator({ text }) {
      if (text === '') throw new ModelRetry('There is nothing to save.');
    },
    // #endregion
    execute: ({ text }) => text.length,
  });
  // #region json-schema
  const lookUp = tool({
    name: 'look_up',
    inputSchema: fromJsonSchema<{ word: string }>({
      type: 'object',
      properties: { word: { type: 'string' } },
      required: ['word'],
    }),
    execute: ({ word }) => `${word}: not found`,
  });
  // #endregion
  // #region other
  const saveTwice = tool({
    name: 'save_twice',
    inputSchema: z.object({ text: z.string() }),
    async execute({ text }, ctx) {
      const first = await ctx.toolManager.call('save', { text });
      return [first, await ctx.toolManager.call('save', { text })];
    },
  });
  // #endregion
  const model = scriptedModel(
    responds(calls('save_twice', { text: 'ab' }), calls('look_up', { word: 'hold' })),
    says('Saved.'),
  );
  const { messages } = await new Agent({ model, tools: [save, lookUp, saveTwice] }).run('Go.');
  const contents = messages[2]?.parts.map((part) => part.kind === 'tool-return' && part.content);
  assert.deepEqual(contents, [[2, 2], 'hold: not found']);
}
