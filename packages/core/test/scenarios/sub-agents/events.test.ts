import { Agent, DeferredToolRequests, type StepEvent, tool } from 'holdpoint';
import {
  calls,
  recordingEnvironment,
  replayingEnvironment,
  responds,
  says,
  scriptedModel,
} from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { following } from '../../support/sub-agents.ts';

const work = tool({ name: 'work', execute: () => 'worked' });
const remove = tool({ name: 'remove', requiresApproval: true, execute: () => 'removed' });

/** An agent that writes text in chunks, and calls `work` first. */
const worker = () =>
  new Agent({
    name: 'worker',
    model: following(calls('work', {}), says('All done.', { chunks: ['All ', 'done.'] })),
    tools: [work],
  });

/** An agent that delegates to `sub` once. */
const leadOf = (sub: Agent) =>
  new Agent({
    model: following(calls(String(sub.name), { prompt: 'Work.' }, { id: 'outer' })),
    tools: [sub.asTool()],
  });

/** Returns the path and the kind of each event, such as `outer>text-delta`. */
const paths = (events: readonly StepEvent[]) =>
  events.map((event) =>
    event.kind === 'sub-agent-event'
      ? [...event.path.map((call) => call.toolCallId), event.event.kind].join('>')
      : event.kind,
  );

async function eventsOf(events: AsyncIterable<StepEvent | { readonly kind: 'run-result' }>) {
  const seen: StepEvent[] = [];
  for await (const event of events) if (event.kind !== 'run-result') seen.push(event);
  return seen;
}

describe('events of sub-agents', () => {
  it('are not in the stream of the parent by default, and the sub-agent does not stream', async () => {
    const sub = worker();

    const seen = paths(await eventsOf(leadOf(sub).stream('Go.')));

    expect(seen.filter((path) => path.includes('>'))).toEqual([]);
  });

  it('reach the stream of the parent with their path', async () => {
    const stream = leadOf(worker()).stream('Go.', { events: { subAgents: true } });

    const events = await eventsOf(stream);

    expect(paths(events)).toEqual([
      'response-start',
      'part-start',
      'args-delta',
      'part-end',
      'tool-call',
      'outer>response-start',
      'outer>part-start',
      'outer>args-delta',
      'outer>part-end',
      'outer>tool-call',
      'outer>tool-result',
      'outer>response-start',
      'outer>part-start',
      'outer>final-result',
      'outer>text-delta',
      'outer>text-delta',
      'outer>part-end',
      'tool-result',
      'response-start',
      'part-start',
      'final-result',
      'text-delta',
      'part-end',
    ]);
    expect(events[5]).toMatchObject({ path: [{ toolName: 'worker', toolCallId: 'outer' }] });
  });

  it('leave `textStream` to the text of the run itself', async () => {
    const stream = leadOf(worker()).stream('Go.', { events: { subAgents: true } });
    const text: string[] = [];

    for await (const piece of stream.textStream) text.push(piece);

    expect(text).toEqual(['Done.']);
  });

  it('have the whole path at any depth', async () => {
    const middle = new Agent({
      name: 'middle',
      model: following(calls('worker', { prompt: 'Work.' }, { id: 'inner' })),
      tools: [worker().asTool()],
    });

    const seen = paths(
      await eventsOf(leadOf(middle).stream('Go.', { events: { subAgents: true } })),
    );

    expect(seen).toContain('outer>inner>tool-result');
    expect(seen).toContain('outer>tool-result');
    expect(seen.filter((path) => path === 'outer>inner>text-delta')).toHaveLength(2);
  });

  it('reach `onEvent` of a run that does not stream, without the parts of responses', async () => {
    const events: StepEvent[] = [];

    await leadOf(worker()).run('Go.', {
      onEvent: (event) => void events.push(event),
      events: { subAgents: true },
    });

    expect(paths(events)).toEqual([
      'tool-call',
      'outer>tool-call',
      'outer>tool-result',
      'tool-result',
    ]);
  });

  it('of a run with `parent` reach the parent, and its own stream too', async () => {
    const own: string[] = [];
    const delegating = tool({
      name: 'delegating',
      async execute(_args, ctx) {
        const stream = worker().stream('Work.', { parent: ctx });
        for await (const { kind } of stream) own.push(kind);
        return (await stream.result).output;
      },
    });
    const lead = new Agent({
      model: scriptedModel(calls('delegating', {}, { id: 'outer' }), 'Done.'),
      tools: [delegating],
    });

    const seen = paths(await eventsOf(lead.stream('Go.', { events: { subAgents: true } })));

    expect(own).toContain('text-delta');
    expect(seen.filter((path) => path === 'outer>text-delta')).toHaveLength(2);
  });

  it('show the result of a nested call that was approved, before the outer result', async () => {
    const sub = new Agent({ name: 'sub', model: following(calls('remove', {})), tools: [remove] });
    const lead = new Agent({
      model: following(calls('sub', { prompt: 'Remove it.' }, { id: 'outer' })),
      tools: [sub.asTool()],
      output: [String, DeferredToolRequests],
    });
    const parked = await lead.run('Go.');
    if (parked.status !== 'parked') throw new Error('The run should park.');

    const stream = lead.stream(undefined, {
      messageHistory: parked.messages,
      deferredToolResults: parked.output.buildResults({ approveAll: true }),
      events: { subAgents: true },
    });
    const seen = paths(await eventsOf(stream));

    expect(seen.indexOf('outer>tool-result')).toBeGreaterThan(-1);
    expect(seen.indexOf('outer>tool-result')).toBeLessThan(seen.indexOf('tool-result'));
  });

  it('of parallel sub-agents have different paths', async () => {
    const outer = (id: string) => calls('worker', { prompt: 'Work.' }, { id });
    const lead = new Agent({
      model: following(responds(outer('one'), outer('two'))),
      tools: [worker().asTool()],
    });

    const seen = paths(await eventsOf(lead.stream('Go.', { events: { subAgents: true } })));

    for (const id of ['one', 'two']) {
      expect(seen.filter((path) => path === `${id}>text-delta`)).toHaveLength(2);
    }
  });

  it('are not emitted again when the environment replays the call', async () => {
    const environment = recordingEnvironment();
    await leadOf(worker()).run('Go.', { environment });
    const replaying = replayingEnvironment(JSON.parse(JSON.stringify(environment.recording)));

    const events = await eventsOf(
      leadOf(worker()).stream('Go.', { environment: replaying, events: { subAgents: true } }),
    );

    expect(paths(events).filter((path) => path.includes('>'))).toEqual([]);
  });

  it('pass the error of an observer to the run', async () => {
    const broken = new Error('The log is full.');
    const running = leadOf(worker()).run('Go.', {
      events: { subAgents: true },
      onEvent(event) {
        if (event.kind === 'sub-agent-event') throw broken;
      },
    });

    await expect(running).rejects.toBe(broken);
  });

  it('stop with the stream of the parent', async () => {
    const sub = worker();
    const stream = leadOf(sub).stream('Go.', { events: { subAgents: true } });

    for await (const event of stream) if (event.kind === 'sub-agent-event') break;

    await expect(stream.result).rejects.toMatchObject({ name: 'AbortError' });
  });
});
