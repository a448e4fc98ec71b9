import {
  Agent,
  DeferredToolRequests,
  FunctionToolset,
  type RunContext,
  type Tool,
  tool,
} from 'holdpoint';
import { calls, functionModel, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { following, type PlainAgent, reporting, subAgent } from '../../support/sub-agents.ts';
import { LivedToolset, resultsIn } from '../../support/toolsets.ts';

const inputSchema = z.object({ prompt: z.string() });

describe('an agent as a tool', () => {
  it('receives a prompt, and returns its output as the result', async () => {
    const model = scriptedModel(says('It rains.'));
    const weather = new Agent({ name: 'weather', model });
    const lead = new Agent({
      model: scriptedModel(calls('weather', { prompt: 'In Lyon?' }), says('Take an umbrella.')),
      tools: [weather.asTool({ description: 'Knows the weather.' })],
    });

    const { output, messages } = await lead.run('What shall I take?');

    expect(output).toBe('Take an umbrella.');
    expect(resultsIn(messages)).toEqual(['It rains.']);
    expect(model.calls[0]?.messages).toMatchObject([
      { parts: [{ kind: 'user-prompt', content: 'In Lyon?' }] },
    ]);
  });

  it('describes its parameters to the model', async () => {
    const model = scriptedModel('Done.');
    const agent = new Agent({ name: 'helper', model: following() });

    await new Agent({
      model,
      tools: [agent.asTool(), agent.asTool({ name: 'other', description: 'Another one.' })],
    }).run('Go.');

    expect(model.calls[0]?.functionTools).toMatchObject([
      {
        name: 'helper',
        parametersJsonSchema: {
          properties: { prompt: { type: 'string' } },
          required: ['prompt'],
          additionalProperties: false,
        },
      },
      { name: 'other', description: 'Another one.' },
    ]);
  });

  it.each([
    ['nothing', {}],
    ['no text', { prompt: 7 }],
    ['too much', { prompt: 'Go.', more: true }],
  ])('sends invalid arguments back: %s', async (_what, args) => {
    const sub = subAgent([]);
    const model = scriptedModel(calls('sub', args), calls('sub', { prompt: 'Go.' }), says('Done.'));

    const { messages } = await new Agent({ model, tools: [sub.asTool()] }).run('Go.');

    expect(resultsIn(messages)).toEqual(['retry sub', 'Done.']);
  });

  it('accepts the input of its schema, and returns structured output', async () => {
    const model = scriptedModel(calls('final_result', { city: 'Lyon' }));
    const finder = new Agent({ model, output: z.object({ city: z.string() }) });
    const find = finder.asTool({
      name: 'find',
      inputSchema: z.object({ river: z.string() }),
      prompt: ({ river }) => `Which city is on the ${river}?`,
    });
    const lead = new Agent({
      model: scriptedModel(calls('find', { river: 'Saône' }), 'Done.'),
      tools: [find],
    });

    const { messages } = await lead.run('Go.');

    expect(resultsIn(messages)).toEqual([{ city: 'Lyon' }]);
    expect(model.calls[0]?.messages).toMatchObject([
      { parts: [{ content: 'Which city is on the Saône?' }] },
    ]);
  });

  it('receives the deps of the run, or the result of the deps function', async () => {
    const whoAmI = tool({
      name: 'who',
      execute: (_args, ctx: RunContext<{ user: string }>) => ctx.deps.user,
    });
    const sub = new Agent({ name: 'sub', model: reporting(calls('who')), tools: [whoAmI] });
    const translated = sub.asTool({
      name: 'translated',
      deps: (ctx: RunContext<{ user: string }>) => ({ user: ctx.deps.user.toUpperCase() }),
    });
    const lead = new Agent({
      model: scriptedModel(
        responds(calls('sub', { prompt: '' }), calls('translated', { prompt: '' })),
        says('Done.'),
      ),
      tools: [sub.asTool(), translated],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['ada', 'ADA']);
  });

  it('needs a name, and a prompt function with its own schema', () => {
    const nameless = new Agent({ model: following() });

    expect(() => nameless.asTool()).toThrow(/Pass `name` to `asTool`/);
    expect(() => nameless.asTool({ name: 'x', inputSchema })).toThrow(/prompt: \(args\)/);
  });

  it('that calls itself endlessly is stopped by the limit, and nothing stays open', async () => {
    const lived: LivedToolset[] = [];
    const agent: PlainAgent = new Agent<readonly Tool[]>({
      name: 'again',
      model: functionModel(() => calls('again', { prompt: 'Once more.' })),
      toolsets: [
        () => new FunctionToolset([agent.asTool()]),
        () => {
          lived.push(new LivedToolset('lived'));
          return present(lived.at(-1));
        },
      ],
      usageLimits: { requestLimit: 20 },
    });

    expect(await rejectionOf(agent.run('Go.'))).toMatchObject({ code: 'usage-limit-exceeded' });

    expect(lived.map(({ timesOpened, opened }) => [timesOpened, opened])).toEqual(
      Array.from({ length: 21 }, () => [1, 0]),
    );
  });

  it('adds its pending calls to the requests of the run, and resumes with it', async () => {
    const ran: string[] = [];
    const remove = tool({
      name: 'remove',
      requiresApproval: true,
      execute: (_args, ctx) => void ran.push(`approved: ${ctx.toolCallApproved}`),
    });
    const sub = subAgent([calls('remove', {}, { id: 'inner' })], { tools: [remove] });
    const lead = new Agent({
      model: scriptedModel(calls('sub', { prompt: 'Go on.' }, { id: 'outer' }), says('Removed.')),
      tools: [sub.asTool()],
      output: [String, DeferredToolRequests],
    });

    const parked = await expectParked(lead.run('Go.'));
    expect(parked.output.approvals).toMatchObject([
      { toolName: 'remove', toolCallId: 'outer/inner' },
    ]);
    expect(ran).toEqual([]);
    const done = await lead.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(done).toMatchObject({ status: 'finished', output: 'Removed.' });
    expect(ran).toEqual(['approved: true']);
  });
});
