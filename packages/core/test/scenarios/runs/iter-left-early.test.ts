import {
  Agent,
  type Capability,
  DeferredToolRequests,
  MemoryLedger,
  type Message,
  requestsFromMessages,
  type RunIterator,
  tool,
} from 'holdpoint';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { present } from '../../support/present.ts';

const inputSchema = z.object({ path: z.string() });

/** An agent whose model reads one file and deletes another one in the same response. */
function janitor(options: { ledger?: MemoryLedger; capabilities?: Capability[] } = {}) {
  const log: string[] = [];
  const read = tool({
    name: 'read',
    inputSchema,
    execute: ({ path }) => void log.push(`read ${path}`),
  });
  const remove = tool({
    name: 'remove',
    inputSchema,
    requiresApproval: true,
    execute: ({ path }) => void log.push(`remove ${path}`),
  });
  const model = scriptedModel(
    responds(
      calls('read', { path: 'a' }, { id: 'c1' }),
      calls('remove', { path: 'b' }, { id: 'c2' }),
    ),
    'Done.',
  );
  const agent = new Agent({
    model,
    tools: [read, remove],
    output: [String, DeferredToolRequests],
    ...options,
  });
  return { agent, log };
}

/** Leaves the loop at the first step of this kind after the tools; returns the messages. */
async function leaveAt(run: RunIterator, kind: string): Promise<readonly Message[]> {
  for await (const step of run) {
    if (step.kind === kind && run.messages.length > 1) break;
  }
  return run.messages;
}

/** The pending calls in a history, with their arguments. */
function pendingIn(messages: readonly Message[]) {
  const requests = present(requestsFromMessages(messages));
  return requests.approvals.map((call) => [call.toolName, requests.get(call).args]);
}

const passing: Capability = {
  name: 'passing',
  wrapRun: (next) => next(),
};

describe('leaving `iter()` at `resolve-deferred`', () => {
  it.each([
    ['', () => ({})],
    [', with a ledger', () => ({ durability: { ledger: new MemoryLedger() } })],
    [', with a hook around the run', () => ({ capabilities: [passing] })],
  ])('keeps the pending calls and the results of the others%s', async (_name, options) => {
    const { agent, log } = janitor(options());

    const messages = await leaveAt(agent.iter('Clean up.'), 'resolve-deferred');

    const requests = present(requestsFromMessages(messages));
    expect(requests.approvals.map(({ toolCallId }) => toolCallId)).toEqual(['c2']);
    const resumed = await agent.resume({ messages }, requests.buildResults({ approveAll: true }));
    expect(resumed.output).toBe('Done.');
    expect(log).toEqual(['read a', 'remove b']);
  });

  it('keeps the same pending calls as leaving a stream at `deferred-requests`', async () => {
    const stream = janitor().agent.stream('Clean up.', { runId: 'r' });
    for await (const event of stream) if (event.kind === 'deferred-requests') break;
    const left = await leaveAt(
      janitor().agent.iter('Clean up.', { runId: 'r' }),
      'resolve-deferred',
    );

    expect(pendingIn(left)).toEqual(pendingIn(stream.messages));
    expect(left.map(({ kind }) => kind)).toEqual(stream.messages.map(({ kind }) => kind));
  });

  it('adds nothing to the history of a run that continues', async () => {
    const run = janitor().agent.iter('Clean up.', {
      deferredToolHandler: (requests) => requests.buildResults({ approveAll: true }),
    });

    for await (const _ of run);

    expect(requestsFromMessages(run.messages)).toBeUndefined();
    expect(run.messages).toHaveLength(4);
    expect(JSON.stringify(run.messages)).not.toContain('interrupted');
  });
});

describe('leaving `iter()` after tools have executed', () => {
  it('keeps their results, so that no call executes again', async () => {
    const { agent, log } = janitor();
    const approving = (requests: DeferredToolRequests) =>
      requests.buildResults({ approveAll: true });
    const run = agent.iter('Clean up.', { deferredToolHandler: approving });
    for await (const step of run) {
      if (step.kind === 'request-model' && log.length > 0) break;
    }

    const { output } = await agent.run(undefined, { messageHistory: run.messages });

    expect(output).toBe('Done.');
    expect(log).toEqual(['read a', 'remove b']);
  });
});
