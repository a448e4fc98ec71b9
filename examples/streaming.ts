// Streaming: events, text, partial outputs, and stopping.
import assert from 'node:assert/strict';
import { Agent, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const lookup = tool({
  name: 'lookup',
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }) => `${word}: a place where work waits`,
});

// 1. Everything that happens, in order.
{
  const agent = new Agent({
    model: scriptedModel(
      responds(says('One moment.'), calls('lookup', { word: 'hold point' })),
      says('It is a place where work waits.', { chunks: ['It is a place ', 'where work waits.'] }),
    ),
    tools: [lookup],
  });

  const kinds: string[] = [];
  for await (const event of agent.stream('What is a hold point?')) kinds.push(event.kind);

  assert.deepEqual(kinds, [
    'response-start',
    'part-start', // a text begins…
    'final-result', // …which could be the output…
    'text-delta',
    'part-end',
    'part-start', // …but a tool call follows
    'args-delta',
    'part-end',
    'tool-call', // its arguments were validated, and it executes
    'tool-result',
    'response-start', // the next response
    'part-start',
    'final-result',
    'text-delta',
    'text-delta',
    'part-end',
    'run-result', // always the last
  ]);
}

// 2. Only the text, then the result.
{
  const agent = new Agent({
    model: scriptedModel(says('Work waits here.', { chunks: ['Work ', 'waits ', 'here.'] })),
  });
  const stream = agent.stream('What is a hold point?');

  let text = '';
  for await (const piece of stream.textStream) text += piece;

  assert.equal(text, 'Work waits here.');
  assert.equal((await stream.result).output, text);
}

// 3. A structured output while it grows.
{
  const Term = z.object({ word: z.string(), meaning: z.string() });
  const agent = new Agent({
    model: scriptedModel(
      calls(
        'final_result',
        { word: 'park', meaning: 'to wait' },
        { argsChunks: ['{"word":"park",', '"meaning":"to', ' wait"}'] },
      ),
    ),
    output: Term,
  });

  const seen: unknown[] = [];
  for await (const partial of agent.stream('Define park.').partialOutputs) seen.push(partial);

  assert.deepEqual(seen, [
    { word: 'park' },
    { word: 'park', meaning: 'to' },
    { word: 'park', meaning: 'to wait' },
    { word: 'park', meaning: 'to wait' }, // the last one is the output
  ]);
}

// 4. Leaving the loop stops the run. Another run can continue from its messages.
{
  const executed: string[] = [];
  const slow = tool({
    name: 'slow_lookup',
    inputSchema: z.object({ word: z.string() }),
    execute: ({ word }) => executed.push(word),
  });
  const model = scriptedModel(calls('slow_lookup', { word: 'claim' }), says('Never said.'));
  const stream = new Agent({ model, tools: [slow] }).stream('Define claim.');

  for await (const event of stream) if (event.kind === 'part-end') break;

  assert.deepEqual(executed, [], 'nothing runs ahead of the reader');
  assert.equal(model.remaining, 1);
  assert.equal(stream.messages[0]?.kind, 'request');
}

console.log('Streams show what happens, when it happens.');
