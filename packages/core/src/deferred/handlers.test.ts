import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent/agent.ts';
import { UserError } from '../errors/user-errors.ts';
import { handleDeferredToolCalls } from '../capabilities/provided.ts';
import { calls, type ResponseDraft, responds, says, scriptedModel } from '../testing/index.ts';
import { tool } from '../tools/define-tool.ts';
import { ExternalToolset } from '../toolsets/external-toolset.ts';
import { ToolDenied } from './decisions.ts';
import { type DeferredToolHandler, approveAll, chainHandlers, denyAll } from './handlers.ts';
import { DeferredToolRequests } from './requests.ts';
import { DeferredToolResults } from './results.ts';

const both = responds(
  calls('remove', { path: 'a' }, { id: 'r' }),
  calls('render', {}, { id: 'x' }),
);

describe('approveAll', () => {
  it('executes every call that needs approval', async () => {
    const { agent, removed } = agentWith(
      responds(calls('remove', { path: 'a' }), calls('remove', { path: 'b' })),
    );

    const result = await agent.run('Tidy up.', { deferredToolHandler: approveAll() });

    expect(result.output).toBe('Done.');
    expect(removed).toEqual(['a', 'b']);
  });

  it('leaves external calls pending', async () => {
    const { agent, removed } = agentWith(both);

    await expect(agent.run('Go.', { deferredToolHandler: approveAll() })).rejects.toThrow(
      "returned no decision or result for 'x' (render). No pending call was executed.",
    );
    expect(removed).toEqual([]);
  });

  it('leaves external calls to other capabilities', async () => {
    const { agent, removed } = agentWith(both);

    const result = await agent.run('Go.', {
      capabilities: [handleDeferredToolCalls(approveAll())],
    });

    expect(result).toMatchObject({ status: 'parked', output: { calls: [{ toolCallId: 'x' }] } });
    expect(removed).toEqual(['a']);
  });
});

describe('denyAll', () => {
  it.each([
    [denyAll('Not today.'), 'Not today.'],
    [denyAll(), 'The tool call was denied.'],
    [denyAll(''), ''],
  ])('sends the model a message: %#', async (handler, content) => {
    const { agent, removed } = agentWith(calls('remove', { path: 'a' }));

    const result = await agent.run('Go.', { deferredToolHandler: handler });

    expect(removed).toEqual([]);
    expect(result.messages.at(-2)?.parts).toMatchObject([{ outcome: 'denied', content }]);
  });

  it('leaves external calls pending', async () => {
    const { agent } = agentWith(both);

    const result = await agent.run('Go.', { capabilities: [handleDeferredToolCalls(denyAll())] });

    expect(result).toMatchObject({ status: 'parked', output: { calls: [{ toolCallId: 'x' }] } });
  });
});

describe('chainHandlers', () => {
  const render: DeferredToolHandler = (requests) =>
    new DeferredToolResults({
      calls: Object.fromEntries(requests.calls.map((call) => [call.toolCallId, 'image'])),
    });

  it('passes each handler the calls that earlier handlers left pending', async () => {
    const { agent, removed } = agentWith(both);
    const requested: string[][] = [];
    const watched =
      (handler: DeferredToolHandler): DeferredToolHandler =>
      (requests, ctx) => {
        requested.push([...requests.approvals, ...requests.calls].map((call) => call.toolCallId));
        return handler(requests, ctx);
      };

    const result = await agent.run('Go.', {
      deferredToolHandler: chainHandlers(
        watched(() => undefined),
        watched(async () => null),
        watched(approveAll()),
        watched(render),
        watched(denyAll()),
      ),
    });

    expect(result.output).toBe('Done.');
    expect(removed).toEqual(['a']);
    expect(requested).toEqual([['r', 'x'], ['r', 'x'], ['r', 'x'], ['x']]);
  });

  it('leaves calls pending that no handler decides', async () => {
    const { agent, removed } = agentWith(both);
    const undecided = chainHandlers(
      () => undefined,
      () => new DeferredToolResults(),
    );

    await expect(agent.run('Go.', { deferredToolHandler: undecided })).rejects.toThrow(
      "returned no decision or result for 'r' (remove), 'x' (render). No pending call was executed.",
    );
    await expect(
      agentWith(both).agent.run('Go.', { deferredToolHandler: chainHandlers() }),
    ).rejects.toThrow(UserError);
    expect(removed).toEqual([]);
  });

  it('does not accept a second decision about a call', async () => {
    const { agent, removed } = agentWith(both);
    const late: DeferredToolHandler = () => new DeferredToolResults({ approvals: { r: true } });

    const run = agent.run('Go.', { deferredToolHandler: chainHandlers(denyAll(), late) });

    await expect(run).rejects.toMatchObject({ code: 'invalid-results', toolCallIds: ['r'] });
    expect(removed).toEqual([]);
  });

  it('keeps metadata for a call that a later handler decides', async () => {
    const { agent, metadata } = agentWith(both);
    const note: DeferredToolHandler = () =>
      new DeferredToolResults({ metadata: { r: { by: 'ada' }, other: { by: 'eve' } } });
    const recorded: unknown[] = [];

    await agent.run('Go.', {
      deferredToolHandler: chainHandlers(note, approveAll(), render),
      onEvent(event) {
        if (event.kind === 'deferred-results') recorded.push({ ...event.results.metadata });
      },
    });

    expect(metadata).toEqual([{ by: 'ada' }]);
    expect(recorded).toEqual([{ r: { by: 'ada' }, other: { by: 'eve' } }]);
  });

  it('accepts no metadata for a call that an earlier handler decided', async () => {
    const { agent, metadata } = agentWith(both);
    const first: DeferredToolHandler = () =>
      new DeferredToolResults({ approvals: { r: true }, metadata: { r: { by: 'ada' } } });
    const second: DeferredToolHandler = () =>
      new DeferredToolResults({ calls: { x: 1 }, metadata: { r: { by: 'eve' } } });

    await agent.run('Go.', { deferredToolHandler: chainHandlers(first, second) });

    expect(metadata).toEqual([{ by: 'ada' }]);
  });

  it('accepts a result for a call in doubt', async () => {
    const { agent } = agentWith(responds(calls('remove', { path: 'a' }, { id: 'r' })));
    const found: DeferredToolHandler = () => new DeferredToolResults({ calls: { r: 'removed' } });
    const taken: unknown[] = [];

    await agent.run('Go.', {
      async deferredToolHandler({ approvals }, ctx) {
        const details = {
          r: { inDoubt: { attempt: '1', reason: 'The process ended.', since: 0 } },
        };
        const inDoubt = new DeferredToolRequests({ approvals, details });
        taken.push(await chainHandlers(found)(inDoubt, ctx));
        return new DeferredToolResults({ approvals: { r: false } });
      },
    });

    expect(taken).toMatchObject([{ calls: { r: 'removed' } }]);
  });

  it('ends the run with the error of a handler', async () => {
    const { agent, removed } = agentWith(both);
    const broken = new Error('The line is dead.');
    const handler = chainHandlers(approveAll(), () => {
      throw broken;
    });

    await expect(agent.run('Go.', { deferredToolHandler: handler })).rejects.toBe(broken);
    expect(removed).toEqual([]);
  });

  it('calls no further handler after the run was aborted', async () => {
    const { agent, removed } = agentWith(both);
    const controller = new AbortController();
    const reason = new Error('Closed.');
    let callCount = 0;
    let finish: (value: unknown) => void = () => {};
    const over = new Promise((resolve) => (finish = resolve));
    const chain = chainHandlers(
      async (requests) => {
        controller.abort(reason);
        return requests.buildResults({ approveAll: true });
      },
      () => void callCount++,
    );

    const run = agent.run('Go.', {
      signal: controller.signal,
      deferredToolHandler: (requests, ctx) => {
        const decisions = Promise.resolve(chain(requests, ctx));
        decisions.then(finish, finish);
        return decisions;
      },
    });

    await expect(run).rejects.toBe(reason);
    expect(await over).toBe(reason);
    expect(callCount).toBe(0);
    expect(removed).toEqual([]);
  });

  it('can be nested', async () => {
    const { agent, removed } = agentWith(both);
    const inner = chainHandlers((requests) =>
      requests.buildResults({ approvals: { r: new ToolDenied('No.') } }),
    );

    await agent.run('Go.', { deferredToolHandler: chainHandlers(inner, approveAll(), render) });

    expect(removed).toEqual([]);
  });
});

function agentWith(...script: ResponseDraft[]) {
  const removed: unknown[] = [];
  const metadata: unknown[] = [];
  const remove = tool({
    name: 'remove',
    inputSchema: z.object({ path: z.string() }),
    requiresApproval: true,
    execute({ path }, ctx) {
      removed.push(path);
      metadata.push(ctx.toolCallMetadata);
      return 'removed';
    },
  });
  const agent = new Agent({
    model: scriptedModel(...script, says('Done.')),
    tools: [remove],
    toolsets: [new ExternalToolset([{ name: 'render' }])],
    output: [String, DeferredToolRequests],
  });
  return { agent, removed, metadata };
}
