// Outputs other than text: schemas, choices, output functions, validators, native JSON, none.
import assert from 'node:assert/strict';
import {
  Agent,
  ModelRetry,
  nativeOutput,
  noOutput,
  outputFunction,
  textOutput,
  toolOutput,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const Meeting = z.object({ title: z.string(), minutes: z.number().int() });
const Closed = z.object({ reason: z.string() });

// 1. One schema. The model receives the validation errors of an invalid output.
{
  const model = scriptedModel(
    calls('final_result', { title: 'Review', minutes: 'thirty' }),
    calls('final_result', { title: 'Review', minutes: 30 }),
  );
  const { output } = await new Agent({ model, output: Meeting }).run('Plan half an hour.');

  assert.deepEqual(output, { title: 'Review', minutes: 30 });
  assert.equal(model.calls.length, 2);
}

// 2. Several schemas: the model chooses. Each has its own output tool, and `String` permits text.
{
  const agent = new Agent({
    model: scriptedModel(calls('closed', { reason: 'It is a holiday.' })),
    output: [String, toolOutput(Meeting, { name: 'plan' }), toolOutput(Closed, { name: 'closed' })],
  });
  const { output } = await agent.run('Plan a meeting for the 1st of January.');

  assert.ok(typeof output !== 'string' && 'reason' in output);
  assert.equal(output.reason, 'It is a holiday.');
}

// 3. A value that is not an object is wrapped for the model and unwrapped for you.
{
  const agent = new Agent({
    model: scriptedModel(calls('final_result', { value: ['Ada', 'Grace'] })),
    output: z.array(z.string()),
  });
  const { output } = await agent.run('Who is coming?');

  assert.deepEqual(output, ['Ada', 'Grace']);
}

// 4. A function computes the output from arguments or from text.
{
  const agent = new Agent({
    model: scriptedModel(calls('final_result', { title: 'Review', minutes: 30 })),
    output: outputFunction({
      inputSchema: Meeting,
      execute: ({ title, minutes }) => `${title} (${minutes} min)`,
    }),
  });
  assert.equal((await agent.run('Plan it.')).output, 'Review (30 min)');

  const words = new Agent({
    model: scriptedModel(says('one two three')),
    output: textOutput((text) => text.split(' ').length),
  });
  assert.equal((await words.run('Count.')).output, 3);
}

// 5. A validator can change the output or reject it.
{
  const agent = new Agent({
    model: scriptedModel(
      calls('final_result', { title: 'Review', minutes: 600 }),
      calls('final_result', { title: 'Review', minutes: 60 }),
    ),
    output: Meeting,
    outputValidators: [
      (meeting) => {
        if (meeting.minutes > 120) throw new ModelRetry('Two hours at most.');
        return { ...meeting, title: meeting.title.toUpperCase() };
      },
    ],
  });
  assert.deepEqual((await agent.run('Plan it.')).output, { title: 'REVIEW', minutes: 60 });
}

// 6. The provider's structured output instead of a tool: the response is JSON text.
{
  const model = scriptedModel(says('{"title":"Review","minutes":30}'));
  const { output } = await new Agent({ model, output: nativeOutput(Meeting) }).run('Plan it.');

  assert.equal(output.minutes, 30);
  assert.equal(model.calls[0]?.outputTools.length, 0);
  assert.deepEqual(model.calls[0]?.outputSchema?.schema['required'], ['title', 'minutes']);
}

// 7. A run can allow an empty output, and another output than its agent.
{
  const agent = new Agent({ model: scriptedModel(responds(), says('Done.')), output: noOutput });

  assert.equal((await agent.run('Tidy up.')).output, null);
  assert.equal((await agent.run('Say so.', { output: String })).output, 'Done.');
}

console.log('All outputs are what they were declared to be.');
