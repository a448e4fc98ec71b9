import {
  type AgentEvent,
  approveAll,
  type DeferredToolHandler,
  type JsonValue,
  type DeferredToolRequests,
  DeferredToolResults,
  ModelRetry,
  requestsFromMessages,
  ToolApproved,
  tool,
  WrapperAgent,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, expectParked, workshop } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { drain, rejectionOf, settled } from '../../support/latch.ts';
import { batch, approveEverything, stored } from '../../support/inline-decisions.ts';
import { present } from '../../support/present.ts';

const approveEverythingLater: DeferredToolHandler = async (requests, ctx) => {
  await settled();
  return approveEverything(requests, ctx);
};

describe.each([
  ['a sync handler', approveEverything],
  ['an async handler', approveEverythingLater],
])('%s', (_, deferredToolHandler) => {
  const expected = ['read b', 'move c', 'remove a'];
  const script = () => [batch, says('Done.')];

  it('of the agent decides during the run', async () => {
    const shop = workshop();

    const result = await agentIn(shop, script(), { deferredToolHandler }).run('Go.');

    expect(result).toMatchObject({ status: 'finished', output: 'Done.' });
    expect(shop.ran()).toEqual(expected);
    // One request contains everything: executed calls first, then the decided calls.
    expect(result.messages).toHaveLength(4);
    expect(result.messages[2]?.parts).toMatchObject([
      { toolCallId: 'read' },
      { toolCallId: 'move' },
      { toolCallId: 'remove' },
      { toolCallId: 'paint', content: 'a picture' },
    ]);
  });

  it('of the run decides in run, stream and iter', async () => {
    const shop = workshop();
    const options = { deferredToolHandler };

    await agentIn(shop, script()).run('Go.', options);
    await drain(agentIn(shop, script()).stream('Go.', options));
    const steps: string[] = [];
    for await (const step of agentIn(shop, script()).iter('Go.', options)) steps.push(step.kind);

    expect(shop.ran()).toEqual([...expected, ...expected, ...expected]);
    expect(steps).toEqual([
      'request-model',
      'call-tools',
      'resolve-deferred',
      'request-model',
      'call-tools',
      'finished',
    ]);
  });

  it('is passed on by a wrapper agent, however it runs', async () => {
    const shop = workshop();
    const wrapped = () => new WrapperAgent(agentIn(shop, script()));
    const options = { deferredToolHandler };

    await wrapped().run('Go.', options);
    await wrapped().stream('Go.', options).result;
    await drain(wrapped().iter('Go.', options));
    const parked = await expectParked(agentIn(shop, [calls('move', { path: 'd' })]).run('Go.'));
    await wrapped().resume(parked, parked.output.buildResults({ approveAll: true }), options);

    expect(shop.ran()).toEqual([...expected, ...expected, ...expected, 'move d', ...expected]);
  });
});

describe('a handler', () => {
  it('receives all deferred calls of a response once, after the others executed', async () => {
    const shop = workshop();
    const requested: { requests: DeferredToolRequests; ran: string[]; step: number }[] = [];
    const second = responds(calls('move', { path: 'd' }, { id: 'd' }));

    await agentIn(shop, [batch, second, says('Done.')]).run('Go.', {
      deferredToolHandler(requests, ctx) {
        expect(ctx.toolCallId).toBeUndefined();
        expect(ctx.toolName).toBeUndefined();
        requested.push({ requests, ran: shop.ran(), step: ctx.runStep });
        return approveEverything(requests, ctx);
      },
    });

    expect(requested).toHaveLength(2);
    expect(requested[0]).toMatchObject({ ran: ['read b'], step: 1 });
    expect(idsOf(present(requested[0]).requests.approvals)).toEqual(['move', 'remove']);
    expect(idsOf(present(requested[0]).requests.calls)).toEqual(['paint']);
    expect(requested[1]).toMatchObject({ step: 2 });
    expect(idsOf(present(requested[1]).requests.approvals)).toEqual(['d']);
  });

  it('works in two passes: a tool that required approval executes again, approved', async () => {
    const seen: boolean[] = [];
    const checks = tool({
      name: 'checks',
      requiresApproval: (_args, ctx) => {
        seen.push(ctx.toolCallApproved);
        return true;
      },
      execute(_, ctx) {
        seen.push(ctx.toolCallApproved);
        return 'done';
      },
    });

    await agentIn(workshop(), [calls('checks'), says('Done.')], { tools: [checks] }).run('Go.', {
      deferredToolHandler: approveAll(),
    });

    expect(seen).toEqual([false, true]);
  });

  it('passes on metadata only if it does so explicitly', async () => {
    const shop = workshop();
    const script = () => [calls('move', { path: 'a' }, { id: 'm' }), says('Done.')];

    await agentIn(shop, script()).run('Go.', { deferredToolHandler: approveAll() });
    await agentIn(shop, script()).run('Go.', {
      deferredToolHandler: (requests) =>
        requests.buildResults({ approveAll: true, metadata: { ...requests.metadata } }),
    });

    expect(shop.effects.map((effect) => effect.metadata)).toEqual([
      undefined,
      { reason: 'protected' },
    ]);
  });

  it('may edit the arguments; invalid ones go back to the model and count as a retry', async () => {
    const shop = workshop();
    const one = calls('remove', { path: 'a' }, { id: 'r' });
    const override =
      (path: JsonValue): DeferredToolHandler =>
      () =>
        new DeferredToolResults({
          approvals: { r: new ToolApproved({ overrideArgs: { path } }) },
        });

    await agentIn(shop, [one, says('Done.')]).run('Go.', { deferredToolHandler: override('b') });
    const sentBack = await agentIn(shop, [one, says('Done.')]).run('Go.', {
      deferredToolHandler: override(5),
    });

    expect(shop.ran()).toEqual(['remove b']);
    expect(sentBack.messages[2]?.parts).toMatchObject([{ kind: 'retry-prompt', toolCallId: 'r' }]);
    const fatal = agentIn(shop, [one]).run('Go.', {
      deferredToolHandler: override(5),
      retries: { tools: 0 },
    });
    expect(String(await rejectionOf(fatal))).toContain('`remove`');
  });

  it('may send a call back without counting as a retry', async () => {
    const shop = workshop();
    const ask = calls('paint', {}, { id: 'p' });
    const handler = () => new DeferredToolResults({ calls: { p: new ModelRetry('Brighter.') } });

    const result = await agentIn(shop, [ask, says('Fine.')]).run('Go.', {
      deferredToolHandler: handler,
      retries: { tools: 0 },
    });

    expect(result.output).toBe('Fine.');
  });

  it('is called in the later steps of a resumed run', async () => {
    const shop = workshop();
    const requested: string[][] = [];
    const agent = agentIn(shop, [
      calls('remove', { path: 'a' }, { id: 'r' }),
      batch,
      says('Done.'),
    ]);
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(parked, parked.output.buildResults({ approveAll: true }), {
      deferredToolHandler(requests, ctx) {
        requested.push([...idsOf(requests.approvals)]);
        return approveEverything(requests, ctx);
      },
    });

    expect(requested).toEqual([['move', 'remove']]);
    expect(shop.ran()).toEqual(['remove a', 'read b', 'move c', 'remove a']);
  });

  it('is reported in the events, with all deferred calls', async () => {
    const shop = workshop();
    const events: AgentEvent[] = [];

    const agent = agentIn(shop, [batch, says('Done.')], { deferredToolHandler: approveEverything });
    for await (const event of agent.stream('Go.')) events.push(event);

    const handlerEvents = events.flatMap((event) =>
      event.kind === 'deferred-requests' || event.kind === 'deferred-results' ? [event] : [],
    );
    expect(handlerEvents).toHaveLength(2);
    expect(handlerEvents[0]).toMatchObject({ requests: { calls: [{ toolCallId: 'paint' }] } });
    expect(handlerEvents[1]).toMatchObject({ results: { calls: { paint: 'a picture' } } });
    const announced = events.filter((event) => event.kind === 'tool-call');
    expect(announced).toHaveLength(4);
  });
});

describe('capabilities that handle deferred calls', () => {
  const approve = (id: string) =>
    handleDeferredToolCalls((requests) => requests.buildResults({ approvals: { [id]: true } }));

  it('are called in order, those of the agent first, and then the handler', async () => {
    const shop = workshop();
    const order: string[] = [];
    const noting = (name: string, id: string) =>
      handleDeferredToolCalls((requests) => {
        order.push(`${name}: ${idsOf([...requests.approvals, ...requests.calls]).join(' ')}`);
        return requests.buildResults({ approvals: { [id]: true } });
      });

    await agentIn(shop, [batch, says('Done.')], { capabilities: [noting('agent', 'remove')] }).run(
      'Go.',
      {
        capabilities: [noting('run', 'move')],
        deferredToolHandler(requests) {
          order.push(`handler: ${idsOf([...requests.approvals, ...requests.calls]).join(' ')}`);
          return new DeferredToolResults({ calls: { paint: 1 } });
        },
      },
    );

    expect(order).toEqual(['agent: move remove paint', 'run: move paint', 'handler: paint']);
    // All approved calls execute together, after all handlers.
    expect(shop.ran()).toEqual(['read b', 'move c', 'remove a']);
  });

  it('execute nothing if one of them, or the handler, fails', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [batch, batch], { capabilities: [approve('remove')] });

    await rejectionOf(
      agent.run('Go.', {
        capabilities: [
          handleDeferredToolCalls(() => {
            throw new Error('no');
          }),
        ],
      }),
    );
    await rejectionOf(agent.run('Go.', { deferredToolHandler: () => undefined }));

    expect(shop.ran()).toEqual(['read b', 'read b']);
  });

  it('may leave calls pending: the run parks on the rest, and records their kinds', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [batch, says('Done.')], { capabilities: [approve('remove')] });

    const parked = await expectParked(agent.run('Go.'));

    expect(shop.ran()).toEqual(['read b', 'remove a']);
    expect(idsOf(parked.output.approvals)).toEqual(['move']);
    expect(idsOf(parked.output.calls)).toEqual(['paint']);
    expect(parked.output.metadata).toEqual({ move: { reason: 'protected' } });
    expect(requestsFromMessages(stored(parked.messages))).toEqual(parked.output);
    const results = parked.output.buildResults({ approveAll: true, calls: { paint: 1 } });
    const finished = await agent.resume({ messages: stored(parked.messages) }, results);
    expect(finished.output).toBe('Done.');
    expect(shop.ran()).toEqual(['read b', 'remove a', 'move c']);
  });
});
