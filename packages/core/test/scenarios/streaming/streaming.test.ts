import { Agent, type AgentEvent, type Model, tool } from 'holdpoint';
import { calls, functionModel, responds, says, scriptedModel, thinks } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { latch } from '../../support/latch.ts';
import { present } from '../../support/present.ts';

const weather = tool({
  name: 'weather',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}.`,
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const kindsOf = (events: readonly AgentEvent[]) => events.map((event) => event.kind);

describe('the events of a stream', () => {
  it('contain a text in chunks, and end with the result', async () => {
    const agent = new Agent({
      model: scriptedModel(says('Hello, you.', { chunks: ['Hello', ', ', 'you.'] })),
    });

    const events = await collect(agent.stream('Hi'));

    expect(events).toMatchObject([
      { kind: 'response-start', runStep: 1 },
      { kind: 'part-start', index: 0, part: { kind: 'text', content: '' } },
      { kind: 'final-result' },
      { kind: 'text-delta', index: 0, text: 'Hello' },
      { kind: 'text-delta', index: 0, text: ', ' },
      { kind: 'text-delta', index: 0, text: 'you.' },
      { kind: 'part-end', index: 0, part: { kind: 'text', content: 'Hello, you.' } },
      { kind: 'run-result', result: { status: 'finished', output: 'Hello, you.' } },
    ]);
  });

  it('contain thinking, and its signature once it is complete', async () => {
    const thought = thinks('Hmm, well.', { chunks: ['Hmm', ', well.'], signature: 'seal' });
    const agent = new Agent({ model: scriptedModel(responds(thought, 'Yes.')) });

    const events = await collect(agent.stream('Really?'));

    expect(events).toMatchObject([
      { kind: 'response-start' },
      { kind: 'part-start', index: 0, part: { kind: 'thinking', content: '' } },
      { kind: 'thinking-delta', index: 0, text: 'Hmm' },
      { kind: 'thinking-delta', index: 0, text: ', well.' },
      { kind: 'part-end', index: 0, part: { content: 'Hmm, well.', signature: 'seal' } },
      { kind: 'part-start', index: 1, part: { kind: 'text', content: '' } },
      { kind: 'final-result' },
      { kind: 'text-delta', index: 1, text: 'Yes.' },
      { kind: 'part-end', index: 1 },
      { kind: 'run-result' },
    ]);
  });

  it('contain a tool call in chunks, when it is validated, and when it has a result', async () => {
    const args = { city: 'Lisbon' };
    const call = calls('weather', args, { argsChunks: ['{"city":', '"Lisbon"}'] });
    const agent = new Agent({ model: scriptedModel(call, 'Sunny.'), tools: [weather] });

    const events = await collect(agent.stream('How is it in Lisbon?'));

    expect(events).toMatchObject([
      { kind: 'response-start', runStep: 1 },
      { kind: 'part-start', part: { kind: 'tool-call', toolName: 'weather', args: '' } },
      { kind: 'args-delta', index: 0, text: '{"city":' },
      { kind: 'args-delta', index: 0, text: '"Lisbon"}' },
      { kind: 'part-end', part: { kind: 'tool-call', args: '{"city":"Lisbon"}' } },
      { kind: 'tool-call', part: { toolCallId: 'call-1' }, argsValid: true },
      { kind: 'tool-result', part: { toolCallId: 'call-1', content: 'Sunny in Lisbon.' } },
      { kind: 'response-start', runStep: 2 },
      { kind: 'part-start', part: { kind: 'text' } },
      { kind: 'final-result' },
      { kind: 'text-delta', text: 'Sunny.' },
      { kind: 'part-end' },
      { kind: 'run-result' },
    ]);
  });

  it('report invalid arguments, and show the retry', async () => {
    const model = scriptedModel(calls('weather', { city: 1 }), 'Sorry.');
    const agent = new Agent({ model, tools: [weather] });

    const events = await collect(agent.stream('How is it?'));

    expect(events.filter((event) => event.kind.startsWith('tool-'))).toMatchObject([
      { kind: 'tool-call', argsValid: false },
      { kind: 'tool-result', part: { kind: 'retry-prompt', toolName: 'weather' } },
    ]);
  });

  it('contain the output tool that produces the result', async () => {
    const model = scriptedModel(calls('final_result', { degrees: 20 }));
    const agent = new Agent({ model, output: z.object({ degrees: z.number() }) });

    const events = await collect(agent.stream('How warm is it?'));

    expect(events).toMatchObject([
      { kind: 'response-start' },
      { kind: 'part-start', part: { kind: 'tool-call' } },
      { kind: 'final-result', toolName: 'final_result', toolCallId: 'call-1' },
      { kind: 'args-delta', text: '{"degrees":20}' },
      { kind: 'part-end' },
      { kind: 'output-tool-call', part: { toolCallId: 'call-1' }, argsValid: true },
      { kind: 'output-tool-result', part: { toolCallId: 'call-1', outcome: 'success' } },
      { kind: 'run-result', result: { output: { degrees: 20 } } },
    ]);
  });

  it('announce a possible result once for each response, even if tools follow', async () => {
    const model = scriptedModel(
      responds('Let me see.', 'One moment.', calls('weather', { city: 'Rome' })),
      says('Sunny.'),
    );
    const agent = new Agent({ model, tools: [weather] });

    const kinds = kindsOf(await collect(agent.stream('How is it in Rome?')));

    expect(kinds.filter((kind) => kind === 'final-result')).toHaveLength(2);
    expect(kinds.indexOf('final-result')).toBe(2);
  });

  it('show the results of parallel tools in the order in which they finish', async () => {
    const quickIsDone = latch();
    const slow = tool({ name: 'slow', execute: () => quickIsDone.opened.then(() => 'slow') });
    const quick = tool({ name: 'quick', execute: () => 'quick' });
    const model = scriptedModel(responds(calls('slow'), calls('quick')), says('Done.'));
    const agent = new Agent({ model, tools: [slow, quick] });
    const results: unknown[] = [];

    for await (const event of agent.stream('Go.')) {
      if (event.kind !== 'tool-result') continue;
      results.push(event.part.content);
      quickIsDone.open();
    }

    expect(results).toEqual(['quick', 'slow']);
  });

  it('show whole parts if the model does not stream', async () => {
    const responses = [says('Sunny.'), responds(thinks('Hm.'), calls('weather', { city: 'Rome' }))];
    const { name, system, request } = functionModel(() => present(responses.pop()));
    const model: Model = { name, system, request };
    const agent = new Agent({ model, tools: [weather] });

    const events = await collect(agent.stream('How is it in Rome?'));

    expect(events).toMatchObject([
      { kind: 'response-start', runStep: 1 },
      { kind: 'part-start', index: 0, part: { kind: 'thinking', content: '' } },
      { kind: 'thinking-delta', index: 0, text: 'Hm.' },
      { kind: 'part-end', index: 0 },
      { kind: 'part-start', index: 1, part: { kind: 'tool-call', args: '' } },
      { kind: 'args-delta', index: 1, text: '{"city":"Rome"}' },
      { kind: 'part-end', index: 1 },
      { kind: 'tool-call' },
      { kind: 'tool-result' },
      { kind: 'response-start', runStep: 2 },
      { kind: 'part-start', index: 0, part: { kind: 'text', content: '' } },
      { kind: 'final-result' },
      { kind: 'text-delta', index: 0, text: 'Sunny.' },
      { kind: 'part-end', index: 0 },
      { kind: 'run-result' },
    ]);
  });
});

describe('a stream', () => {
  it('returns the same messages and output as a run', async () => {
    const script = () => scriptedModel(calls('weather', '{"city":"Rome"}'), says('Sunny.'));
    const agent = new Agent({ tools: [weather] });

    const ran = await agent.run('How is it?', { model: script() });
    const streamed = await agent.stream('How is it?', { model: script() }).result;

    expect(streamed.output).toBe(ran.output);
    expect(streamed.usage).toEqual(ran.usage);
    expect(streamed.messages.map((message) => message.parts)).toEqual(
      ran.messages.map((message) => message.parts),
    );
  });

  it('yields only the text of all responses', async () => {
    const model = scriptedModel(
      responds(
        says('Let me see. ', { chunks: ['Let me', ' see. '] }),
        calls('weather', { city: 'X' }),
      ),
      responds(thinks('So.'), says('Sunny.', { chunks: ['Sun', 'ny.'] })),
    );
    const agent = new Agent({ model, tools: [weather] });

    expect(await collect(agent.stream('How is it?').textStream)).toEqual([
      'Let me',
      ' see. ',
      'Sun',
      'ny.',
    ]);
  });

  it('runs to its end if only the result is awaited', async () => {
    const model = scriptedModel(calls('weather', { city: 'Rome' }), says('Sunny.'));
    const stream = new Agent({ model, tools: [weather] }).stream('How is it?');

    const result = await stream.result;

    expect(result.output).toBe('Sunny.');
    expect(await stream.result).toBe(result);
    expect(stream.messages).toEqual(result.messages);
    expect(stream.usage).toMatchObject({ requests: 2, toolCalls: 1 });
  });

  it('yields every event also to a reader that awaited the result before', async () => {
    const stream = new Agent({ model: scriptedModel('Hello.') }).stream('Hi');

    const result = stream.result;
    const events = await collect(stream);

    expect(kindsOf(events)).toEqual([
      'response-start',
      'part-start',
      'final-result',
      'text-delta',
      'part-end',
      'run-result',
    ]);
    expect((await result).output).toBe('Hello.');
  });

  it('does nothing before the first event is read', async () => {
    const model = scriptedModel('Hello.');
    const instructed: string[] = [];
    const agent = new Agent({ model, instructions: () => void instructed.push('asked') });

    const stream = agent.stream('Hi');
    const iterator = stream[Symbol.asyncIterator]();
    await new Promise((resolve) => setTimeout(resolve, 5));

    expect([model.calls, instructed, stream.messages, stream.usage]).toEqual([
      [],
      [],
      [],
      undefined,
    ]);

    await iterator.next();
    expect(model.calls).toHaveLength(1);
  });

  it('is independent of another stream of the same agent', async () => {
    const model = functionModel(({ messages }) => `You said ${messages.length} message.`);
    const agent = new Agent({ model });
    const [first, second] = [agent.stream('One'), agent.stream('Two')];

    const [one, two] = await Promise.all([collect(first), collect(second)]);

    expect(kindsOf(one)).toEqual(kindsOf(two));
    expect((await first.result).messages[0]?.parts).toMatchObject([{ content: 'One' }]);
    expect((await second.result).messages[0]?.parts).toMatchObject([{ content: 'Two' }]);
  });

  it('throws for a reader that starts after the result, because the events are gone', async () => {
    const stream = new Agent({ model: scriptedModel('Hello.') }).stream('Hi');

    await stream.result;
    const late = collect(stream);

    await expect(late).rejects.toMatchObject({ code: 'user-error' });
  });

  it('accepts one reader, and throws for a second one', async () => {
    const stream = new Agent({ model: scriptedModel('Hello.') }).stream('Hi');

    const [events, text] = await Promise.race([
      Promise.allSettled([collect(stream), collect(stream.textStream)]),
      new Promise<never[]>((resolve) => setTimeout(resolve, 200, [])),
    ]);

    expect(events).toMatchObject({ status: 'fulfilled' });
    expect(text).toMatchObject({ status: 'rejected', reason: { code: 'user-error' } });
  });
});
