import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Capability,
  type Ended,
  ModelRetry,
  type RunContext,
  tool,
  UserError,
} from 'holdpoint';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, type ParkingAgent, waysToRun } from '../support/capabilities.ts';
import { expectParked, workshop } from '../support/deferral.ts';
import { latch, never, rejectionOf, settled } from '../support/latch.ts';
import { LivedToolset } from '../support/toolsets.ts';

const done: Ended = { kind: 'finished', output: 'Instead.' };
const broken = new Error('The model is away.');

/** A capability that writes down when it is entered and how it is left. */
function noting(log: string[], name = 'hook'): Capability {
  return {
    name,
    async aroundRun(next) {
      log.push(`${name} in`);
      try {
        const end = await next();
        log.push(`${name} ${end.kind}`);
        return end;
      } catch (error) {
        log.push(`${name} failed: ${(error as Error).message}`);
        throw error;
      }
    },
  };
}

describe.each(waysToRun)('a hook around a run, with $way,', ({ go }) => {
  it('is entered before everything and left after it, the first capability outermost', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('box', log);
    const { agent } = agentWith([noting(log, 'first'), noting(log, 'second')], {
      toolsets: [toolset],
      script: [
        () => {
          log.push('model');
          return 'Done.';
        },
      ],
    });

    const result = await go(agent, { capabilities: [noting(log, 'of the run')] });

    expect(result.output).toBe('Done.');
    expect(log.filter((entry) => !/getTools|forRun/.test(entry))).toEqual([
      'first in',
      'second in',
      'of the run in',
      'box open',
      'model',
      'box close',
      'of the run finished',
      'second finished',
      'first finished',
    ]);
  });

  it('says how the run ends', async () => {
    const polite = capability({
      async aroundRun(next) {
        const end = await next();
        return end.kind === 'finished' ? { ...end, output: `${end.output} Thank you.` } : end;
      },
    });
    const { agent } = agentWith([polite]);

    const result = await go(agent);

    expect(result).toMatchObject({ status: 'finished', output: 'Done. Thank you.' });
    expect(result.messages).toHaveLength(2);
  });

  it('can recover from an error; the history keeps what there was', async () => {
    const recovering = capability({ aroundRun: (next) => next().catch(() => done) });
    const { agent } = agentWith([recovering], { script: [broken] });

    const result = await go(agent);

    expect(result).toMatchObject({ status: 'finished', output: 'Instead.' });
    expect(result.messages).toMatchObject([{ kind: 'request', parts: [{ content: 'Go.' }] }]);
  });

  it('can do without the run: no toolset is opened, no model asked, nothing said', async () => {
    const toolset = new LivedToolset('box');
    const { model, agent } = agentWith([capability({ aroundRun: async () => done })], {
      toolsets: [toolset],
    });

    const result = await go(agent);

    expect(result).toMatchObject({ status: 'finished', output: 'Instead.', messages: [] });
    expect(toolset.timesOpened).toBe(0);
    expect(model.calls).toEqual([]);
  });

  it('that throws before the run fails it', async () => {
    const toolset = new LivedToolset('box');
    const refusing = capability({ aroundRun: () => Promise.reject(broken) });
    const { model, agent } = agentWith([refusing], { toolsets: [toolset] });

    expect(await rejectionOf(go(agent))).toBe(broken);
    expect(toolset.timesOpened).toBe(0);
    expect(model.calls).toEqual([]);
  });

  it('that throws at once, without a promise, fails it as well', async () => {
    const throwing = capability({
      aroundRun() {
        throw broken;
      },
    });

    expect(await rejectionOf(go(agentWith([throwing]).agent))).toBe(broken);
  });

  it('that throws after the run fails it, with everything closed', async () => {
    const toolset = new LivedToolset('box');
    const failing = capability({
      async aroundRun(next) {
        await next();
        throw broken;
      },
    });
    const { agent } = agentWith([failing], { toolsets: [toolset] });

    expect(await rejectionOf(go(agent))).toBe(broken);
    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
  });

  it('can give an error another form', async () => {
    const wrapping = capability({
      aroundRun: (next) =>
        next().catch((cause: unknown) => Promise.reject(new Error('It failed.', { cause }))),
    });
    const { agent } = agentWith([wrapping], { script: [broken] });

    expect(await rejectionOf(go(agent))).toMatchObject({ message: 'It failed.', cause: broken });
  });

  it.each<[string, (next: () => Promise<Ended>) => Promise<unknown>]>([
    ['after the run', (next) => next().then(() => undefined)],
    ['instead of the run', async () => undefined],
    ['but something else', async () => ({ output: 'Done.' })],
  ])('has to say how the run ends: not nothing, %s', async (_when, aroundRun) => {
    const { agent } = agentWith([capability({ aroundRun: aroundRun as never })]);

    const error = await rejectionOf(go(agent));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('how the run ends') });
  });

  it('may call next once', async () => {
    const twice = capability({
      async aroundRun(next) {
        await next();
        return next();
      },
    });
    const { model, agent } = agentWith([twice], { script: ['One.', 'Two.'] });

    const error = await rejectionOf(go(agent));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('next twice') });
    expect(model.calls).toHaveLength(1);
  });

  it('that calls next twice at the same time still has one run', async () => {
    const twice = capability({
      async aroundRun(next) {
        const first = next();
        await expect(async () => next()).rejects.toThrow(UserError);
        return first;
      },
    });
    const { model, agent } = agentWith([twice], { script: ['One.', 'Two.'] });

    expect(await go(agent)).toMatchObject({ output: 'One.' });
    expect(model.calls).toHaveLength(1);
  });

  it('that does not wait for the run says how it ends, and the run still takes place', async () => {
    const hasty = capability({
      async aroundRun(next) {
        void next();
        return done;
      },
    });
    const { model, agent } = agentWith([hasty]);

    expect(await go(agent)).toMatchObject({ output: 'Instead.' });
    expect(model.calls).toHaveLength(1);
  });

  it('sees what an inner one made of the run', async () => {
    const log: string[] = [];
    const { agent } = agentWith([noting(log), capability({ aroundRun: async () => done })]);

    await go(agent);

    expect(log).toEqual(['hook in', 'hook finished']);
  });

  it('sees that the run is parked, and that another one goes on', async () => {
    const log: string[] = [];
    const shop = workshop();
    const { agent } = agentWith([noting(log)], {
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }), says('Done.')],
    });

    const parked = await expectParked(go(agent));
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(log).toEqual(['hook in', 'hook parked', 'hook in', 'hook finished']);
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('can end a parked run with an output; its calls still wait, and nothing has run', async () => {
    const shop = workshop();
    const ending = capability({
      async aroundRun(next) {
        const end = await next();
        return end.kind === 'parked' ? done : end;
      },
    });
    const { agent } = agentWith([ending], {
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }, { id: 'r' }), says('Done.')],
    });

    const { status, messages } = await go(agent);

    expect(status).toBe('finished');
    expect(shop.ran()).toEqual([]);
    await expect(agent.run('And now?', { messageHistory: messages })).rejects.toThrow(/'r'/);
  });

  it('has the context of the run', async () => {
    const seen: unknown[] = [];
    const looking = capability({
      async aroundRun(next, ctx) {
        seen.push(ctx.prompt, ctx.runId, ctx.usage.requests);
        const end = await next();
        seen.push(ctx.usage.requests, ctx.messages.length);
        return end;
      },
    });

    await go(agentWith([looking]).agent, { runId: 'r-1' });

    expect(seen).toEqual(['Go.', 'r-1', 0, 1, 2]);
  });
});

describe('the steps of a run with hooks around it', () => {
  const stepsOf = async (agent: ParkingAgent) => {
    const kinds: string[] = [];
    for await (const { kind } of agent.iter('Go.')) kinds.push(kind);
    return kinds;
  };
  const script = () => [calls('read', { path: 'a' }), says('Done.')];

  it('are those that there would be without', async () => {
    const { read } = workshop();
    const tools = [read];

    const without = await stepsOf(agentWith([], { script: script(), tools }).agent);
    const around = agentWith([noting([]), noting([])], { script: script(), tools });

    expect(await stepsOf(around.agent)).toEqual(without);
    expect(without.at(-1)).toBe('finished');
  });

  it('end with what the hook says', async () => {
    const { agent } = agentWith([capability({ aroundRun: (next) => next().catch(() => done) })], {
      script: [broken],
    });

    expect(await stepsOf(agent)).toEqual(['request-model', 'finished']);
  });

  it('are none but the end where the hook does without the run', async () => {
    const { agent } = agentWith([capability({ aroundRun: async () => done })]);

    expect(await stepsOf(agent)).toEqual(['finished']);
  });
});

describe('a hook around a run that is given up', () => {
  const told = (how: string) => [`hook in`, `hook failed: ${how}`];

  it('between two steps learns of it, and everything is closed', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('box');
    const { model, agent } = agentWith([noting(log)], { toolsets: [toolset] });

    for await (const _ of agent.iter('Go.')) break;

    expect(log).toEqual(told('The run was stopped.'));
    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
    expect(model.calls).toEqual([]);
  });

  it('in the middle of a stream learns of it, and everything is closed', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('box');
    const { agent } = agentWith([noting(log)], {
      toolsets: [toolset],
      script: [says('Hello there.', { chunks: ['Hello ', 'there.'] })],
    });

    for await (const _ of agent.stream('Go.').textStream) break;

    expect(log).toEqual(told('The run was stopped.'));
    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
  });

  it('is told from the inside to the outside', async () => {
    const log: string[] = [];
    const { agent } = agentWith([noting(log, 'outer'), noting(log, 'inner')]);

    for await (const _ of agent.iter('Go.')) break;

    expect(log.slice(2)).toEqual([
      'inner failed: The run was stopped.',
      'outer failed: The run was stopped.',
    ]);
  });

  it('cannot give it a result after all', async () => {
    const recovering = capability({ aroundRun: (next) => next().catch(() => done) });
    const run = agentWith([recovering]).agent.iter('Go.');

    for await (const _ of run) break;

    expect(run.result).toBeUndefined();
  });

  it('learns nothing new when the result was there already', async () => {
    const log: string[] = [];
    const run = agentWith([noting(log)]).agent.iter('Go.');

    for await (const { kind } of run) if (kind === 'finished') break;

    expect(log).toEqual(['hook in', 'hook finished']);
    expect(run.result).toMatchObject({ output: 'Done.' });
  });

  it('is never entered when the run has not begun', async () => {
    const log: string[] = [];
    const { agent } = agentWith([noting(log)]);

    await agent.iter('Go.').return();
    await agent.stream('Go.')[Symbol.asyncIterator]().return?.();

    expect(log).toEqual([]);
  });

  it('learns of it also if a toolset does not close', async () => {
    const log: string[] = [];
    const toolset = new LivedToolset('box', [], { whenClosing: () => Promise.reject(broken) });
    const run = agentWith([noting(log)], { toolsets: [toolset] }).agent.iter('Go.');
    await run.next();

    expect(await rejectionOf(run.return())).toBe(broken);
    await settled();

    expect(log).toHaveLength(2);
  });

  it('is not waited for when it has not asked for the run yet', async () => {
    const { agent } = agentWith([capability({ aroundRun: never })]);
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

  it('tells the hook around it, which cannot end it in another way', async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const recovering = capability({ aroundRun: (next) => next().catch(() => done) });
    const { agent } = agentWith([recovering, noting(log)], { script: [never] });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
    expect(log).toEqual(['hook in', 'hook failed: Somebody pressed stop.']);
  });

  it.each(['aborted', 'left'])('waits for what a hook gives back when it is %s', async (how) => {
    const log: string[] = [];
    const controller = new AbortController();
    const cleaning = capability({
      async aroundRun(next) {
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

  it.each<[string, NonNullable<Capability['aroundRun']>]>([
    ['before it', never],
    ['after it', (next) => next().then(never)],
    ['after it has failed', (next) => next().then(() => done, never)],
  ])('ends at once while a hook waits %s', async (when, aroundRun) => {
    const controller = new AbortController();
    const script = when === 'after it has failed' ? [broken] : ['Done.'];
    const { agent } = agentWith([capability({ aroundRun })], { script });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
  });

  it('before it starts does not ask the model, whatever the hook does', async () => {
    const { model, agent } = agentWith([capability({ aroundRun: (next) => next() })]);

    const error = await rejectionOf(agent.run('Go.', { signal: AbortSignal.abort(reason) }));

    expect(error).toBe(reason);
    expect(model.calls).toEqual([]);
  });

  it('is not begun by a hook that asks for it too late', async () => {
    const asked = latch();
    const late = latch();
    const controller = new AbortController();
    const shop = workshop();
    const waiting = capability({
      async aroundRun(next) {
        asked.open();
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
    await asked.opened;

    controller.abort(reason);
    late.open();

    expect(await rejectionOf(running)).toBe(reason);
    expect(model.calls).toEqual([]);
    expect(shop.ran()).toEqual([]);
  });
});

describe('hooks around the runs of two agents', () => {
  it('are each around the own run of the agent', async () => {
    const log: string[] = [];
    const { agent: sub } = agentWith([noting(log, 'inner')], { name: 'sub' });
    const { agent } = agentWith([noting(log, 'outer')], {
      tools: [sub.asTool() as never],
      script: [calls('sub', { prompt: 'Go.' }), says('Done.')],
    });

    await agent.run('Go.');

    expect(log).toEqual(['outer in', 'inner in', 'inner finished', 'outer finished']);
  });

  it('see both that they are parked, and again that they go on', async () => {
    const log: string[] = [];
    const shop = workshop();
    const { agent: sub } = agentWith([noting(log, 'inner')], {
      name: 'sub',
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }), says('Removed.')],
    });
    const { agent } = agentWith([noting(log, 'outer')], {
      tools: [sub.asTool() as never],
      script: [calls('sub', { prompt: 'Go.' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    const round = (how: string) => ['outer in', 'inner in', `inner ${how}`, `outer ${how}`];
    expect(log).toEqual([...round('parked'), ...round('finished')]);
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('can run the other one inside of themselves', async () => {
    const { agent: judge } = agentWith([], { script: ['Well said.'] });
    const judging = capability({
      async aroundRun(next, ctx: RunContext) {
        const end = await next();
        const { output } = await judge.run('Is that good?', { parent: ctx });
        return end.kind === 'finished' ? { ...end, output: `${end.output} (${output})` } : end;
      },
    });

    const result = await agentWith([judging]).agent.run('Go.');

    expect(result.output).toBe('Done. (Well said.)');
    expect(result.usage.requests).toBe(2);
  });
});

describe('an error of the run', () => {
  it('is that of the run where no hook says otherwise', async () => {
    const picky = tool({
      name: 'picky',
      execute: () => {
        throw new ModelRetry('No.');
      },
    });
    const { agent } = agentWith([noting([])], {
      tools: [picky],
      retries: 0,
      script: [calls('picky')],
    });

    await expect(agent.run('Go.')).rejects.toThrow(/picky/);
  });

  it('goes unnoticed where hooks do not wait for it, and ends no process', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const hasty = capability({
      async aroundRun(next) {
        void next();
        return done;
      },
    });
    const { agent } = agentWith([hasty, noting([])], { script: [broken] });

    const result = await agent.run('Go.');
    await settled();
    process.off('unhandledRejection', note);

    expect(result.output).toBe('Instead.');
    expect(unhandled).toEqual([]);
  });
});
