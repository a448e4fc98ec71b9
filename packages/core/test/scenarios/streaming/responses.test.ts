import { Agent, type Capability, type StepEvent, tool } from 'holdpoint';
import {
  calls,
  functionModel,
  recordingEnvironment,
  replayingEnvironment,
  responds,
  says,
  scriptedModel,
} from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../support/latch.ts';
import { untyped } from '../../support/untyped.ts';

const work = tool({ name: 'work', execute: () => 'worked' });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe('the start of a response', () => {
  it('names the run and counts its requests', async () => {
    const agent = new Agent({ model: scriptedModel(calls('work'), 'Done.'), tools: [work] });
    const stream = agent.stream('Go.');

    const starts = (await collect(stream)).filter(({ kind }) => kind === 'response-start');

    const { runId } = await stream.result;
    expect(starts).toEqual([
      { kind: 'response-start', runId, runStep: 1 },
      { kind: 'response-start', runId, runStep: 2 },
    ]);
  });

  it('is emitted for a response without parts', async () => {
    const agent = new Agent({ model: scriptedModel(responds(), 'Done.') });

    const kinds = (await collect(agent.stream('Go.'))).map(({ kind }) => kind);

    expect(kinds.slice(0, 2)).toEqual(['response-start', 'response-start']);
  });

  it('is emitted again if a hook repeats a request that broke off', async () => {
    let attempts = 0;
    const model = functionModel(() => 'not streamed', {
      async *stream() {
        attempts += 1;
        yield 'Hel';
        if (attempts === 1) throw new Error('The line is down.');
        yield 'lo.';
      },
    });
    const retrying: Capability = {
      name: 'retrying',
      wrapModelRequest: (call, next) => next(call).catch(() => next(call)),
    };

    const events = await collect(new Agent({ model, capabilities: [retrying] }).stream('Hi'));

    const shown = events.map((event) => (event.kind === 'text-delta' ? event.text : event.kind));
    expect(shown).toEqual([
      'response-start',
      'part-start',
      'final-result',
      'Hel',
      'response-start',
      'part-start',
      'final-result',
      'Hel',
      'lo.',
      'part-end',
      'run-result',
    ]);
  });

  it('of a recorded response is marked as replayed', async () => {
    const agent = () => new Agent({ model: scriptedModel('Hello.') });
    const environment = recordingEnvironment();
    await agent().stream('Hi', { environment }).result;
    const replaying = replayingEnvironment(JSON.parse(JSON.stringify(environment.recording)));

    const events = await collect(agent().stream('Hi', { environment: replaying }));

    expect(events.slice(0, -1).map((event) => 'replayed' in event && event.replayed)).toEqual(
      Array.from({ length: 5 }, () => true),
    );
  });
});

describe('responses of `iter`', () => {
  const script = () =>
    scriptedModel(calls('work', {}), says('All done.', { chunks: ['All ', 'done.'] }));

  it('are streamed to `onEvent` with `events.responses`, step by step', async () => {
    const agent = new Agent({ model: script(), tools: [work] });
    const log: string[] = [];
    const onEvent = (event: StepEvent) =>
      void log.push(event.kind === 'text-delta' ? event.text : event.kind);

    for await (const { kind } of agent.iter('Go.', { events: { responses: true }, onEvent })) {
      log.push(`[${kind}]`);
    }

    expect(log).toEqual([
      '[request-model]',
      'response-start',
      'part-start',
      'args-delta',
      'part-end',
      '[call-tools]',
      'tool-call',
      'tool-result',
      '[request-model]',
      'response-start',
      'part-start',
      'final-result',
      'All ',
      'done.',
      'part-end',
      '[call-tools]',
      '[finished]',
    ]);
  });

  it('are streamed to the capabilities of the agent too', async () => {
    const text: string[] = [];
    const observer: Capability = {
      name: 'observer',
      onEvent: (event) => void (event.kind === 'text-delta' && text.push(event.text)),
    };
    const agent = new Agent({ model: script(), tools: [work], capabilities: [observer] });

    await agent.run('Go.', { events: { responses: true } });

    expect(text).toEqual(['All ', 'done.']);
  });

  it('are not streamed by default', async () => {
    const kinds: string[] = [];
    const agent = new Agent({ model: script(), tools: [work] });

    for await (const _ of agent.iter('Go.', { onEvent: ({ kind }) => void kinds.push(kind) }));

    expect(kinds).toEqual(['tool-call', 'tool-result']);
  });

  it('are streamed while a function returns true', async () => {
    const text: string[] = [];
    const model = scriptedModel('One.', 'Two.', 'Three.');
    let isObserved = false;
    const again: Capability = {
      name: 'again',
      async wrapModelRequest(call, next) {
        const response = await next(call);
        isObserved = !isObserved;
        return response;
      },
    };
    const agent = new Agent({ model, capabilities: [again] });

    for (const prompt of ['a', 'b', 'c']) {
      await agent.run(prompt, {
        events: { responses: () => isObserved },
        onEvent: (event) => void (event.kind === 'text-delta' && text.push(event.text)),
      });
    }

    expect(text).toEqual(['Two.']);
  });

  it('of `stream` are left out with `responses: false`', async () => {
    const agent = new Agent({ model: script(), tools: [work] });

    const events = await collect(agent.stream('Go.', { events: { responses: false } }));

    expect(events.map(({ kind }) => kind)).toEqual(['tool-call', 'tool-result', 'run-result']);
  });
});

describe('the option `events`', () => {
  it.each([
    [{ response: true }, 'Did you mean `responses`?'],
    [{ subAgents: 'yes' }, 'subAgents'],
    [{ responses: 'yes' }, '`true`, `false` or a function'],
    [true, 'events'],
  ])('rejects %j', async (events, message) => {
    const model = scriptedModel('Hello.');

    const error = await rejectionOf(new Agent({ model }).run('Hi', { events: untyped(events) }));

    expect(error).toMatchObject({ code: 'user-error', message: expect.stringContaining(message) });
    expect(model.calls).toEqual([]);
  });
});
