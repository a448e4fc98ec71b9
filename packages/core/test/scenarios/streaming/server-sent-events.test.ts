import { Agent, DeferredToolRequests, requestsCodec, tool } from 'holdpoint';
import { calls, functionModel, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { following } from '../../support/sub-agents.ts';

const remove = tool({ name: 'remove', requiresApproval: true, execute: () => 'removed' });

/** Reads the events of a response. */
async function dataOf(response: Response): Promise<Record<string, unknown>[]> {
  const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
  return frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')));
}

describe('`toResponse` of a stream', () => {
  it('sends each event as one line of JSON', async () => {
    const model = scriptedModel(says('Hello\nyou.', { chunks: ['Hello\n', 'you.'] }));

    const response = new Agent({ model }).stream('Hi').toResponse();
    const events = await dataOf(response);

    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(events).toMatchObject([
      { kind: 'response-start' },
      { kind: 'part-start' },
      { kind: 'final-result' },
      { kind: 'text-delta', text: 'Hello\n' },
      { kind: 'text-delta', text: 'you.' },
      { kind: 'part-end' },
      { kind: 'run-result', result: { status: 'finished', output: 'Hello\nyou.' } },
    ]);
  });

  it('accepts a status and headers', () => {
    const stream = new Agent({ model: scriptedModel('Hello.') }).stream('Hi');

    const response = stream.toResponse({
      status: 202,
      headers: { 'cache-control': 'no-store', 'x-run': '1' },
    });

    expect(response.status).toBe(202);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-run')).toBe('1');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
  });

  it('sends the pending calls of a parked run, and no step record', async () => {
    const agent = new Agent({
      model: scriptedModel(calls('remove', {})),
      tools: [remove],
      output: [String, DeferredToolRequests],
    });

    const text = await agent.stream('Go.').toResponse().text();

    const last = JSON.parse(text.trim().split('\n\n').at(-1)?.replace('data: ', '') ?? '');
    expect(last).toMatchObject({ kind: 'run-result', result: { status: 'parked' } });
    const [call] = requestsCodec.fromJSON(last.result.output);
    expect(call).toMatchObject({ kind: 'approval', toolName: 'remove' });
    expect(text).not.toContain('"step"');
    expect(text).not.toContain('messages');
  });

  it('sends decisions and events of sub-agents', async () => {
    const sub = new Agent({ name: 'sub', model: following(calls('remove', {})), tools: [remove] });
    const lead = new Agent({
      model: following(calls('sub', { prompt: 'Remove it.' }, { id: 'outer' })),
      tools: [sub.asTool()],
      deferredToolHandler: (requests) => requests.buildResults({ approveAll: true }),
    });

    const events = await dataOf(lead.stream('Go.', { events: { subAgents: true } }).toResponse());

    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'deferred-results', results: expect.anything() }),
    );
    expect(events).toContainEqual({
      kind: 'sub-agent-event',
      path: [{ toolName: 'sub', toolCallId: 'outer' }],
      event: expect.objectContaining({ kind: 'tool-result' }),
    });
  });

  it('ends with the code of an error, and does not reveal its message', async () => {
    const model = functionModel(() => {
      throw new Error('password=swordfish');
    });

    const text = await new Agent({ model }).stream('Hi').toResponse().text();

    expect(text).toBe('data: {"kind":"error","message":"The run failed."}\n\n');
  });

  it('names the code of errors of the framework', async () => {
    const agent = new Agent({ model: scriptedModel(calls('remove', {})), tools: [remove] });

    const events = await dataOf(agent.stream('Go.').toResponse());

    expect(events.at(-1)).toEqual({
      kind: 'error',
      message: 'The run failed.',
      code: 'cannot-park',
    });
  });
});

describe('`toSSE` of a stream', () => {
  it('does not start the run before the first read, and waits for the reader', async () => {
    let words = 0;
    const model = functionModel(() => 'not streamed', {
      async *stream() {
        while (words < 100) yield `${++words} `;
      },
    });
    const reader = new Agent({ model }).stream('Talk.').toSSE().getReader();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(words).toBe(0);

    for (const _ of [1, 2, 3, 4, 5]) await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));

    expect(words).toBeLessThanOrEqual(3);
    await reader.cancel();
  });

  it('stops the run when the client disconnects', async () => {
    const model = scriptedModel(says('Hello.', { chunks: ['Hel', 'lo.'] }), 'Never sent.');
    const stream = new Agent({ model }).stream('Hi');
    const reader = stream.toSSE().getReader();

    await reader.read();
    await reader.cancel();

    await expect(stream.result).rejects.toMatchObject({ name: 'AbortError' });
  });
});
