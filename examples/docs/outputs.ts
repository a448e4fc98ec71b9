// Outputs of runs, for docs/outputs.md.
import assert from 'node:assert/strict';
import {
  Agent,
  DeferredToolRequests,
  ModelRetry,
  nativeOutput,
  noOutput,
  outputFunction,
  type RunContext,
  textOutput,
  tool,
  toolOutput,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const Meeting = z.object({ title: z.string(), minutes: z.number().int() });

{
  const model = scriptedModel(
    calls('final_result', { title: 'Review', minutes: 'thirty' }),
    calls('final_result', { title: 'Review', minutes: 30 }),
  );
  // #region schema
  const planner = new Agent({
    model,
    output: z.object({ title: z.string(), minutes: z.number().int() }),
  });

  const { output } = await planner.run('Plan half an hour for the review.');
  console.log(output.title, output.minutes); // string, number
  // #endregion
  assert.deepEqual(output, { title: 'Review', minutes: 30 });
  assert.equal(model.calls.length, 2, 'the schema rejected the first output');
}

{
  const Impossible = z.object({ reason: z.string() });
  const model = scriptedModel(calls('decline', { reason: 'It is a holiday.' }));
  // #region choice
  const planner = new Agent({
    model,
    output: [
      toolOutput(Meeting, { name: 'plan' }),
      toolOutput(Impossible, {
        name: 'decline',
        description: 'Use this if there is no free slot.',
      }),
    ],
  });

  const { output } = await planner.run('Plan a review for the 1st of January.');
  if ('reason' in output) console.log('Not possible:', output.reason);
  else console.log(output.title);
  // #endregion
  assert.deepEqual(output, { reason: 'It is a holiday.' });
}

{
  const booked: string[] = [];
  const model = scriptedModel(
    calls('book', { title: 'Review', minutes: 600 }),
    calls('book', { title: 'Review', minutes: 30 }),
  );
  interface Calendar {
    book(title: string, minutes: number): string;
  }
  // #region function
  const book = outputFunction({
    name: 'book',
    inputSchema: Meeting,
    execute({ title, minutes }, ctx: RunContext<Calendar>) {
      if (minutes > 120) throw new ModelRetry('Two hours at most.');
      return ctx.deps.book(title, minutes);
    },
  });
  const planner = new Agent({ model, output: book });
  // #endregion
  const deps: Calendar = {
    book: (title) => {
      booked.push(title);
      return `booking ${booked.length}`;
    },
  };
  const { output } = await planner.run('Book it.', { deps });
  assert.equal(output, 'booking 1');

  // #region text
  const words = textOutput((text) => text.split(/\s+/).length);
  const counter = new Agent({ model: scriptedModel(says('one two three')), output: words });
  // #endregion
  assert.equal((await counter.run('Count.')).output, 3);
}

{
  const model = scriptedModel(says('{"title":"Review","minutes":30}'));
  // #region native
  const planner = new Agent({ model, output: nativeOutput(Meeting) });
  // #endregion
  assert.equal((await planner.run('Plan it.')).output.minutes, 30);
  assert.equal(model.calls[0]?.outputTools.length, 0);
}

{
  const model = scriptedModel(
    calls('final_result', { title: 'Review', minutes: 600 }),
    calls('final_result', { title: 'Review', minutes: 60 }),
  );
  // #region validator
  const planner = new Agent({
    model,
    output: Meeting,
    outputValidators: [
      (meeting, ctx) => {
        if (ctx.partialOutput) return meeting; // not complete yet
        if (meeting.minutes > 120) throw new ModelRetry('Two hours at most.');
        return { ...meeting, title: meeting.title.trim() };
      },
    ],
  });
  // #endregion
  assert.equal((await planner.run('Plan it.')).output.minutes, 60);
}

{
  const model = scriptedModel(responds(), says('Tidy.'));
  // #region run
  const janitor = new Agent({ model, output: noOutput });

  const silent = await janitor.run('Tidy up.'); // output: null
  const report = await janitor.run('Tidy up and report.', { output: String }); // output: string
  // #endregion
  assert.equal(silent.output, null);
  assert.equal(report.output, 'Tidy.');
}

{
  const publish = tool({ name: 'publish', requiresApproval: true, execute: () => 'published' });
  const model = scriptedModel(calls('publish'));
  // #region deferred
  const editor = new Agent({ model, tools: [publish], output: [Meeting, DeferredToolRequests] });

  const result = await editor.run('Publish the plan.');
  if (result.status === 'parked') console.log(result.output.approvals.length, 'pending');
  else console.log(result.output.title);
  // #endregion
  assert.equal(result.status, 'parked');
}

{
  const seen: string[] = [];
  const log = tool({ name: 'log', execute: () => seen.push('logged') });
  const both = () => responds(calls('final_result', { title: 'A', minutes: 1 }), calls('log'));
  const run = (endStrategy: 'graceful' | 'early' | 'exhaustive') =>
    new Agent({ model: scriptedModel(both()), tools: [log], output: Meeting, endStrategy }).run(
      'Go.',
    );
  await run('early');
  assert.equal(seen.length, 0);
  await run('graceful');
  assert.equal(seen.length, 1);
  await run('exhaustive');
  assert.equal(seen.length, 2);
}
console.log('Outputs have the declared types.');
