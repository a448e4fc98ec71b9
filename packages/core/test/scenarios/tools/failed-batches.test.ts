import { Agent, type AgentEvent, ModelRetry, ToolApproved, tool } from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rejectionOf } from '../../support/latch.ts';

const Path = z.object({ path: z.string() });
const read = tool({ name: 'read', inputSchema: Path, maxRetries: 0, execute: () => 'text' });
const guarded = tool({
  name: 'guarded',
  inputSchema: Path,
  maxRetries: 0,
  requiresApproval: true,
  execute: () => 'text',
});
const list = tool({ name: 'list', inputSchema: Path, execute: () => 'files' });

/** Runs an agent whose run fails. Returns its messages and its events about tools. */
async function failedRun(agent: Agent, parallelMode?: 'parallel-ordered-events') {
  const events: string[] = [];
  const onEvent = (event: AgentEvent) => {
    if (event.kind === 'tool-call') events.push(`${event.part.toolCallId}: ${event.argsValid}`);
    if (event.kind === 'tool-result') events.push(`${event.part.toolCallId} ended`);
  };
  const steps = agent.iter('Go.', { onEvent, ...(parallelMode && { parallelMode }) });
  const error = await rejectionOf(
    (async () => {
      for await (const step of steps) void step;
    })(),
  );
  return { error, events, messages: steps.messages };
}

describe('invalid arguments without a retry', () => {
  it('leave no result of the other calls, because none of them executed', async () => {
    const agent = new Agent({
      model: scriptedModel(
        responds(calls('list', {}, { id: 'a' }), calls('read', {}, { id: 'b' })),
      ),
      tools: [list, read],
    });

    const { events, messages } = await failedRun(agent);

    expect(messages.map(({ kind }) => kind)).toEqual(['request', 'response']);
    expect(events).toEqual(['a: false', 'b: false']);
  });

  it('have an event if they are those of a handler', async () => {
    const agent = new Agent({
      model: scriptedModel(calls('guarded', { path: 'a' }, { id: 'a' })),
      tools: [guarded],
      capabilities: [
        handleDeferredToolCalls((requests) =>
          requests.buildResults({ approvals: { a: new ToolApproved({ overrideArgs: {} }) } }),
        ),
      ],
    });

    const { events } = await failedRun(agent);

    expect(events).toEqual(['a: true', 'a: false']);
  });
});

describe('results in the order of the calls', () => {
  it('have events up to the call that ends the run', async () => {
    const failing = tool({
      name: 'failing',
      maxRetries: 0,
      execute() {
        throw new ModelRetry('Never.');
      },
    });
    const agent = new Agent({
      model: scriptedModel(
        responds(
          calls('list', { path: 'a' }, { id: 'a' }),
          calls('failing', {}, { id: 'b' }),
          calls('list', { path: 'c' }, { id: 'c' }),
        ),
      ),
      tools: [list, failing],
    });

    const { events } = await failedRun(agent, 'parallel-ordered-events');

    expect(events).toEqual(['a: true', 'b: true', 'c: true', 'a ended']);
  });
});
