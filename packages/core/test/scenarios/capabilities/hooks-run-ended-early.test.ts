import { setTimeout as sleep } from 'node:timers/promises';
import type { Capability } from 'holdpoint';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability } from '../../support/capabilities.ts';
import { workshop } from '../../support/deferral.ts';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';
import { LivedToolset } from '../../support/toolsets.ts';
import { done, broken, noting } from '../../support/run-hooks.ts';

describe('a hook around a run that is left early', () => {
  const failureLog = (how: string) => [`hook in`, `hook failed: ${how}`];

  it('is notified between two steps, and everything is closed', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('box');
    const { model, agent } = agentWith([noting(log)], { toolsets: [toolset] });

    for await (const _ of agent.iter('Go.')) break;

    expect(log).toEqual(failureLog('The run was stopped.'));
    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
    expect(model.calls).toEqual([]);
  });

  it('is notified during a stream, and everything is closed', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('box');
    const { agent } = agentWith([noting(log)], {
      toolsets: [toolset],
      script: [says('Hello there.', { chunks: ['Hello ', 'there.'] })],
    });

    for await (const _ of agent.stream('Go.').textStream) break;

    expect(log).toEqual(failureLog('The run was stopped.'));
    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
  });

  it('is notified from the innermost to the outermost', async () => {
    const log: string[] = [];
    const { agent } = agentWith([noting(log, 'outer'), noting(log, 'inner')]);

    for await (const _ of agent.iter('Go.')) break;

    expect(log.slice(2)).toEqual([
      'inner failed: The run was stopped.',
      'outer failed: The run was stopped.',
    ]);
  });

  it('cannot return a result for the run', async () => {
    const recovering = capability({ wrapRun: (next) => next().catch(() => done) });
    const run = agentWith([recovering]).agent.iter('Go.');

    for await (const _ of run) break;

    expect(run.result).toBeUndefined();
  });

  it('is not notified if the run already had a result', async () => {
    const log: string[] = [];
    const run = agentWith([noting(log)]).agent.iter('Go.');

    for await (const { kind } of run) if (kind === 'finished') break;

    expect(log).toEqual(['hook in', 'hook finished']);
    expect(run.result).toMatchObject({ output: 'Done.' });
  });

  it('is not called if the run never started', async () => {
    const log: string[] = [];
    const { agent } = agentWith([noting(log)]);

    await agent.iter('Go.').return();
    await agent.stream('Go.')[Symbol.asyncIterator]().return?.();

    expect(log).toEqual([]);
  });

  it('is notified even if a toolset fails to close', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('box', [], { whenClosing: () => Promise.reject(broken) });
    const run = agentWith([noting(log)], { toolsets: [toolset] }).agent.iter('Go.');
    await run.next();

    expect(await rejectionOf(run.return())).toBe(broken);
    await settled();

    expect(log).toHaveLength(2);
  });

  it('is not awaited if it has not started the run yet', async () => {
    const { agent } = agentWith([capability({ wrapRun: never })]);
    const run = agent.iter('Go.');
    const stream = agent.stream('Go.')[Symbol.asyncIterator]();
    const waiting = [run.next(), stream.next()];
    for (const one of waiting) one.catch(() => {});
    await settled();

    const stopped = Promise.all([run.return(), stream.return?.()]).then(() => 'stopped');

    expect(await Promise.race([stopped, sleep(500, 'still waiting')])).toBe('stopped');
  });
});

describe('a run that is aborted', () => {
  const reason = new Error('Somebody pressed stop.');

  it('notifies the hook around it, which cannot change the end', async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const recovering = capability({ wrapRun: (next) => next().catch(() => done) });
    const { agent } = agentWith([recovering, noting(log)], { script: [never] });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
    expect(log).toEqual(['hook in', 'hook failed: Somebody pressed stop.']);
  });

  it.each(['aborted', 'left'])('awaits the cleanup of a hook when it is %s', async (how) => {
    const log: string[] = [];
    const controller = new AbortController();
    const cleaning = capability({
      async wrapRun(next) {
        try {
          return await next();
        } finally {
          await settled();
          log.push('cleaned up');
        }
      },
    });
    const run = agentWith([cleaning]).agent.iter('Go.', { signal: controller.signal });
    await run.next();

    controller.abort(reason);
    await (how === 'aborted' ? rejectionOf(run.next()) : run.return());

    expect(log).toEqual(['cleaned up']);
  });

  it.each<[string, NonNullable<Capability['wrapRun']>]>([
    ['before it', never],
    ['after it', (next) => next().then(never)],
    ['after it has failed', (next) => next().then(() => done, never)],
  ])('ends at once while a hook is pending %s', async (when, wrapRun) => {
    const controller = new AbortController();
    const script = when === 'after it has failed' ? [broken] : ['Done.'];
    const { agent } = agentWith([capability({ wrapRun })], { script });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
  });

  it('before its start sends no model request, whatever the hook does', async () => {
    const { model, agent } = agentWith([capability({ wrapRun: (next) => next() })]);

    const error = await rejectionOf(agent.run('Go.', { signal: AbortSignal.abort(reason) }));

    expect(error).toBe(reason);
    expect(model.calls).toEqual([]);
  });

  it('is not started by a hook that calls next too late', async () => {
    const entered = latch();
    const late = latch();
    const controller = new AbortController();
    const shop = workshop();
    const waiting = capability({
      async wrapRun(next) {
        entered.open();
        await late.opened;
        return next();
      },
    });
    const { model, agent } = agentWith([waiting], {
      tools: [shop.read],
      script: [calls('read', { path: 'a' }), says('Done.')],
    });
    const running = agent.run('Go.', { signal: controller.signal });
    running.catch(() => {});
    await entered.opened;

    controller.abort(reason);
    late.open();

    expect(await rejectionOf(running)).toBe(reason);
    expect(model.calls).toEqual([]);
    expect(shop.ran()).toEqual([]);
  });
});
