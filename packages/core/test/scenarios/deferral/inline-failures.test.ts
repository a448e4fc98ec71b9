import {
  type DeferredToolHandler,
  DeferredToolResults,
  type Message,
  requestsFromMessages,
  UserError,
} from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, workshop } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { drain, latch, rejectionOf, settled } from '../../support/latch.ts';
import { batch, approveEverything, stored } from '../../support/inline-decisions.ts';
import { present } from '../../support/present.ts';
import { untyped } from '../../support/untyped.ts';

describe('a handler that fails', () => {
  const failure = new Error('The approver hung up.');
  const failing: readonly [string, DeferredToolHandler][] = [
    [
      'throws',
      () => {
        throw failure;
      },
    ],
    ['rejects', () => Promise.reject(failure)],
  ];

  it.each(failing)('ends the run with its error when it %s', async (_, deferredToolHandler) => {
    const shop = workshop();

    for (const streamed of [false, true]) {
      const agent = agentIn(shop, [batch], { deferredToolHandler });
      const run = streamed ? agent.stream('Go.').result : agent.run('Go.');
      expect(await rejectionOf(run)).toBe(failure);
    }

    expect(shop.ran()).toEqual(['read b', 'read b']);
  });

  it.each(failing)('leaves a history that can be resumed when it %s', async (_, handler) => {
    for (const store of [(messages: readonly Message[]) => messages, stored]) {
      const shop = workshop();
      const steps = agentIn(shop, [batch], { deferredToolHandler: handler }).iter('Go.');
      await rejectionOf(drain(steps));
      const messages = store(steps.messages);

      const requests = present(requestsFromMessages(messages));
      expect(idsOf(requests.approvals)).toEqual(['move', 'remove']);
      expect(requests.metadata).toEqual({ move: { reason: 'protected' } });
      const results = requests.buildResults({ approveAll: true, calls: { paint: 1 } });
      const finished = await agentIn(shop, [says('Done.')]).resume({ messages }, results);

      expect(finished.output).toBe('Done.');
      expect(shop.ran().toSorted()).toEqual(['move c', 'read b', 'remove a']);
    }
  });

  it('leaves a parked history when its results are rejected', async () => {
    const shop = workshop();
    const steps = agentIn(shop, [batch]).iter('Go.', {
      deferredToolHandler: () => new DeferredToolResults({ approvals: { remove: true } }),
    });

    expect(await rejectionOf(drain(steps))).toBeInstanceOf(UserError);

    expect(idsOf(present(requestsFromMessages(steps.messages)).approvals)).toEqual([
      'move',
      'remove',
    ]);
    expect(shop.ran()).toEqual(['read b']);
  });

  it.each([1n, () => 1, Number.NaN])(
    'leaves a parked history when a result is no JSON: %#',
    async (value) => {
      const shop = workshop();
      const both = responds(
        calls('move', { path: 'a' }, { id: 'm' }),
        calls('render', { path: 'b' }, { id: 'd' }),
      );
      const steps = agentIn(shop, [both]).iter('Go.', {
        deferredToolHandler: () =>
          new DeferredToolResults({ approvals: { m: true }, calls: { d: untyped(value) } }),
      });

      const error = await rejectionOf(drain(steps));

      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'d'");
      expect(shop.effects).toEqual([]);
      const requests = present(requestsFromMessages(steps.messages));
      expect(idsOf(requests.approvals)).toEqual(['m']);
      expect(idsOf(requests.calls)).toEqual(['d']);
    },
  );
});

describe('an observer that fails', () => {
  it.each(['deferred-requests', 'deferred-results'] as const)(
    'at %s leaves a parked history, and nothing executes',
    async (kind) => {
      const shop = workshop();
      const failure = new Error('The page was closed.');
      const steps = agentIn(shop, [batch], { deferredToolHandler: approveEverything }).iter('Go.', {
        onEvent(event) {
          if (event.kind === kind) throw failure;
        },
      });

      expect(await rejectionOf(drain(steps))).toBe(failure);

      expect(shop.ran()).toEqual(['read b']);
      const requests = present(requestsFromMessages(stored(steps.messages)));
      expect(idsOf(requests.approvals)).toEqual(['move', 'remove']);
      expect(idsOf(requests.calls)).toEqual(['paint']);
      expect(requests.metadata).toEqual({ move: { reason: 'protected' } });
    },
  );
});

describe('an abort while the handler is pending', () => {
  it.each(['run', 'stream', 'iter'] as const)(
    'ends the run; a late decision has no effect: %s',
    async (method) => {
      const shop = workshop();
      const controller = new AbortController();
      const thinking = latch();
      const decided = latch();
      let signal: AbortSignal | undefined;
      const options = {
        signal: controller.signal,
        deferredToolHandler: (async (requests, ctx) => {
          signal = ctx.signal;
          thinking.open();
          await decided.opened;
          return approveEverything(requests, ctx);
        }) satisfies DeferredToolHandler,
      };
      const agent = agentIn(shop, [batch, says('Done.')]);
      const messages: (readonly Message[])[] = [];
      const start = () => {
        if (method === 'run') return agent.run('Go.', options);
        const under =
          method === 'stream' ? agent.stream('Go.', options) : agent.iter('Go.', options);
        messages.push(under.messages);
        return drain(under).finally(() => messages.push(under.messages));
      };

      const rejected = rejectionOf(start());
      await thinking.opened;
      const reason = new Error('Enough.');
      controller.abort(reason);

      expect(await rejected).toBe(reason);
      expect(signal?.aborted).toBe(true);
      decided.open();
      await settled();
      expect(shop.ran()).toEqual(['read b']);
      if (method === 'run') return;
      const requests = present(requestsFromMessages(present(messages.at(-1))));
      expect(idsOf(requests.approvals)).toEqual(['move', 'remove']);
      const finished = await agentIn(shop, [says('Done.')]).resume(
        { messages: stored(present(messages.at(-1))) },
        requests.buildResults({ approveAll: true, calls: { paint: 1 } }),
      );
      expect(finished.output).toBe('Done.');
      expect(shop.ran().toSorted()).toEqual(['move c', 'read b', 'remove a']);
    },
  );
});
