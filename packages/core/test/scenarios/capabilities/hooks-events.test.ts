import {
  approveAll,
  type Capability,
  type DeferredToolHandler,
  denyAll,
  type StepEvent,
  UserError,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import {
  abortedDuring,
  agentWith,
  capability,
  oneCall,
  waysToRun,
} from '../../support/capabilities.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { never, rejectionOf, settled } from '../../support/latch.ts';

const listening = (log: string[], name: string): Capability =>
  capability({ onEvent: ({ kind }) => void log.push(`${name} ${kind}`) });

describe.each(waysToRun)('onEvent of capabilities, with $way,', ({ go }) => {
  it('is notified of each event in the order of the capabilities, then the run', async () => {
    const log: string[] = [];
    const { agent } = agentWith([listening(log, 'first'), listening(log, 'second')], {
      tools: [workshop().read],
      script: oneCall('read'),
    });

    await go(agent, {
      capabilities: [listening(log, 'third')],
      onEvent: ({ kind }) => void log.push(`run ${kind}`),
    });

    expect(log.filter((entry) => entry.endsWith('tool-result'))).toEqual([
      'first tool-result',
      'second tool-result',
      'third tool-result',
      'run tool-result',
    ]);
  });

  it('is awaited before the run continues', async () => {
    const log: string[] = [];
    const slow = capability({
      async onEvent({ kind }) {
        await settled();
        log.push(kind);
      },
    });
    const { agent } = agentWith([slow], {
      tools: [workshop().read],
      script: [
        calls('read', { path: 'a' }),
        () => {
          log.push('second request');
          return 'Done.';
        },
      ],
    });

    await go(agent);

    const request = log.indexOf('second request');
    expect(log.slice(request - 2, request)).toEqual(['tool-call', 'tool-result']);
  });

  it('fails the run with the error that it throws', async () => {
    const broken = new Error('The log is full.');
    const shop = workshop();
    const failing = capability({
      onEvent({ kind }) {
        if (kind === 'tool-call') throw broken;
      },
    });
    const { agent } = agentWith([failing], { tools: [shop.read], script: oneCall('read') });

    expect(await rejectionOf(go(agent))).toBe(broken);
    expect(shop.ran()).toEqual([]);
  });

  it('receives the context of the step', async () => {
    const steps = new Set<number>();
    const { agent } = agentWith(
      [capability({ onEvent: (_event, ctx) => void steps.add(ctx.runStep) })],
      {
        tools: [workshop().read],
        script: [calls('read', { path: 'a' }), calls('read', { path: 'b' }), says('Done.')],
      },
    );

    await go(agent);

    expect([...steps].slice(0, 2)).toEqual([1, 2]);
  });
});

describe('onEvent of capabilities', () => {
  it('is notified of model responses if the run is streamed', async () => {
    const kinds: string[] = [];
    const { agent } = agentWith([capability({ onEvent: ({ kind }) => void kinds.push(kind) })], {
      script: [says('Hello.', { chunks: ['Hel', 'lo.'] })],
    });

    await agent.stream('Go.').result;

    expect(kinds).toEqual([
      'response-start',
      'part-start',
      'final-result',
      'text-delta',
      'text-delta',
      'part-end',
    ]);
  });

  it('is notified of deferred calls and of decisions', async () => {
    const events: StepEvent[] = [];
    const { agent } = agentWith([capability({ onEvent: (event) => void events.push(event) })], {
      tools: [workshop().remove],
      script: [calls('remove', { path: 'a' }), says('Done.')],
      deferredToolHandler: approveAll(),
    });

    await agent.run('Go.');

    expect(events.map(({ kind }) => kind)).toEqual([
      'tool-call',
      'deferred-requests',
      'deferred-results',
      'tool-result',
    ]);
  });

  it('does not delay an aborted run', async () => {
    const reason = new Error('Stop.');

    expect(await abortedDuring(capability({ onEvent: never }), reason)).toBe(reason);
  });
});

const batch = () =>
  responds(
    calls('remove', { path: 'a' }, { id: 'r' }),
    calls('move', { path: 'b' }, { id: 'm' }),
    calls('paint', {}, { id: 'p' }),
  );

/** Creates a handler that approves one call and logs its requests. */
const deciding =
  (log: unknown[], id: string): DeferredToolHandler =>
  (requests) => {
    const open = [...idsOf(requests.approvals), ...idsOf(requests.calls)];
    log.push(open.toSorted().join());
    if (!open.includes(id)) return undefined;
    return id === 'p'
      ? requests.buildResults({ calls: { p: 'Red.' } })
      : requests.buildResults({ approvals: { [id]: true } });
  };

describe.each(waysToRun)('handlers of capabilities, with $way,', ({ go }) => {
  it('are called in order, each with the remaining calls', async () => {
    const log: unknown[] = [];
    const shop = workshop();
    const { agent } = agentWith(
      [
        handleDeferredToolCalls(deciding(log, 'm')),
        capability({ handleDeferredToolCalls: deciding(log, 'p') }),
      ],
      { tools: [shop.remove, shop.move], toolsets: [shop.paint], script: [batch(), says('Done.')] },
    );

    const result = await go(agent, {
      capabilities: [handleDeferredToolCalls(deciding(log, 'r'))],
    });

    expect(result).toMatchObject({ status: 'finished', output: 'Done.' });
    expect(log).toEqual(['m,p,r', 'p,r', 'r']);
    expect(shop.ran()).toEqual(['move b', 'remove a']);
  });

  it('are called before the handler of the run, which must resolve the rest', async () => {
    const log: unknown[] = [];
    const shop = workshop();
    const { agent } = agentWith([handleDeferredToolCalls(deciding(log, 'm'))], {
      tools: [shop.remove, shop.move],
      toolsets: [shop.paint],
      script: [batch(), says('Done.')],
    });

    const error = await rejectionOf(go(agent, { deferredToolHandler: deciding(log, 'r') }));

    expect(error).toBeInstanceOf(UserError);
    expect(log).toEqual(['m,p,r', 'p,r']);
    expect(shop.ran()).toEqual([]);
  });

  it('leave the run parked on calls that none of them resolves', async () => {
    const shop = workshop();
    const { agent } = agentWith([handleDeferredToolCalls(deciding([], 'm'))], {
      tools: [shop.remove, shop.move],
      toolsets: [shop.paint],
      script: [batch()],
    });

    const { output } = await expectParked(go(agent));

    expect([idsOf(output.approvals), idsOf(output.calls)]).toEqual([['r'], ['p']]);
    expect(shop.ran()).toEqual(['move b']);
  });
});

describe('a handler of a capability', () => {
  it('cannot change the decision of another handler', async () => {
    const shop = workshop();
    const { agent } = agentWith(
      [handleDeferredToolCalls(denyAll('No.')), handleDeferredToolCalls(approveAll())],
      { tools: [shop.remove], script: [calls('remove', { path: 'a' }), says('Done.')] },
    );

    await agent.run('Go.');

    expect(shop.ran()).toEqual([]);
  });

  it('sees the arguments that a hook changed', async () => {
    const seen: unknown[] = [];
    const shop = workshop();
    const changing = capability({
      async wrapToolValidation({ args }, next, ctx) {
        await next(ctx.toolCallApproved ? args : { path: 'other' });
      },
    });
    const handler: DeferredToolHandler = (requests) => {
      seen.push(requests.get('r').args);
      return requests.buildResults({ approveAll: true });
    };
    const { agent } = agentWith([changing, handleDeferredToolCalls(handler)], {
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }, { id: 'r' }), says('Done.')],
    });

    await agent.run('Go.');

    expect(seen).toEqual([{ path: 'other', mode: 'soft' }]);
    expect(shop.ran()).toEqual(['remove other']);
  });

  it('of forRun belongs to one run', async () => {
    const shop = workshop();
    const counting = capability({
      forRun() {
        let decided = 0;
        return {
          handleDeferredToolCalls(requests) {
            decided += 1;
            return decided === 1 ? requests.buildResults({ approveAll: true }) : undefined;
          },
        };
      },
    });
    const { agent } = agentWith([counting], {
      tools: [shop.remove],
      script: [
        calls('remove', { path: 'a' }),
        says('One.'),
        calls('remove', { path: 'b' }),
        calls('remove', { path: 'c' }),
      ],
    });

    await agent.run('Go.');
    await expectParked(agent.run('Go.'));

    expect(shop.ran()).toEqual(['remove a', 'remove b']);
  });

  it('is also called for a sub-agent of the run', async () => {
    const shop = workshop();
    const { agent: sub } = agentWith([], {
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }), says('Removed.')],
    });
    const approving = capability({ forRun: () => ({ handleDeferredToolCalls: approveAll() }) });
    const delegating = capability({
      async wrapRun(next, ctx) {
        await sub.run('Go.', { parent: ctx });
        return next();
      },
    });
    const { agent } = agentWith([approving, delegating]);

    await agent.run('Go.');

    expect(shop.ran()).toEqual(['remove a']);
  });
});
