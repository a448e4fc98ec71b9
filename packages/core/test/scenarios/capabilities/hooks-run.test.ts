import { ModelRetry, tool, UserError } from 'holdpoint';
import type { RunEnd } from 'holdpoint/agents';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, type ParkingAgent, waysToRun } from '../../support/capabilities.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { rejectionOf, settled } from '../../support/latch.ts';
import { LivedToolset } from '../../support/toolsets.ts';
import { done, broken, noting } from '../../support/run-hooks.ts';
import { untyped } from '../../support/untyped.ts';

describe.each(waysToRun)('a hook around a run, with $way,', ({ go }) => {
  it('starts first and ends last, with the first capability outermost', async () => {
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

  it('determines the end of the run', async () => {
    const polite = capability({
      async wrapRun(next) {
        const end = await next();
        return end.kind === 'finished' ? { ...end, output: `${end.output} Thank you.` } : end;
      },
    });
    const { agent } = agentWith([polite]);

    const result = await go(agent);

    expect(result).toMatchObject({ status: 'finished', output: 'Done. Thank you.' });
    expect(result.messages).toHaveLength(2);
  });

  it('can recover from an error; the history keeps the earlier messages', async () => {
    const recovering = capability({ wrapRun: (next) => next().catch(() => done) });
    const { agent } = agentWith([recovering], { script: [broken] });

    const result = await go(agent);

    expect(result).toMatchObject({ status: 'finished', output: 'Instead.' });
    expect(result.messages).toMatchObject([{ kind: 'request', parts: [{ content: 'Go.' }] }]);
  });

  it('can skip the run: no toolset opens, no model request is sent, no event is emitted', async () => {
    const toolset = new LivedToolset('box');
    const { model, agent } = agentWith([capability({ wrapRun: async () => done })], {
      toolsets: [toolset],
    });

    const result = await go(agent);

    expect(result).toMatchObject({ status: 'finished', output: 'Instead.', messages: [] });
    expect(toolset.timesOpened).toBe(0);
    expect(model.calls).toEqual([]);
  });

  it('that throws before the run fails it', async () => {
    const toolset = new LivedToolset('box');
    const rejecting = capability({ wrapRun: () => Promise.reject(broken) });
    const { model, agent } = agentWith([rejecting], { toolsets: [toolset] });

    expect(await rejectionOf(go(agent))).toBe(broken);
    expect(toolset.timesOpened).toBe(0);
    expect(model.calls).toEqual([]);
  });

  it('that throws synchronously fails it as well', async () => {
    const throwing = capability({
      wrapRun() {
        throw broken;
      },
    });

    expect(await rejectionOf(go(agentWith([throwing]).agent))).toBe(broken);
  });

  it('that throws after the run fails it, with everything closed', async () => {
    const toolset = new LivedToolset('box');
    const failing = capability({
      async wrapRun(next) {
        await next();
        throw broken;
      },
    });
    const { agent } = agentWith([failing], { toolsets: [toolset] });

    expect(await rejectionOf(go(agent))).toBe(broken);
    expect([toolset.timesOpened, toolset.opened]).toEqual([1, 0]);
  });

  it('can replace an error', async () => {
    const wrapping = capability({
      wrapRun: (next) =>
        next().catch((cause: unknown) => Promise.reject(new Error('It failed.', { cause }))),
    });
    const { agent } = agentWith([wrapping], { script: [broken] });

    expect(await rejectionOf(go(agent))).toMatchObject({ message: 'It failed.', cause: broken });
  });

  it.each<[string, (next: () => Promise<RunEnd>) => Promise<unknown>]>([
    ['after the run', (next) => next().then(() => undefined)],
    ['instead of the run', async () => undefined],
    ['but something else', async () => ({ output: 'Done.' })],
  ])(
    'has to return the end of the run, and must not return nothing: %s',
    async (_when, wrapRun) => {
      const { agent } = agentWith([capability({ wrapRun: untyped(wrapRun) })]);

      const error = await rejectionOf(go(agent));

      expect(error).toBeInstanceOf(UserError);
      expect(error).toMatchObject({ message: expect.stringContaining('the end of the run') });
    },
  );

  it('may call next once', async () => {
    const twice = capability({
      async wrapRun(next) {
        await next();
        return next();
      },
    });
    const { model, agent } = agentWith([twice], { script: ['One.', 'Two.'] });

    const error = await rejectionOf(go(agent));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('`next` twice') });
    expect(model.calls).toHaveLength(1);
  });

  it('that calls next twice concurrently executes one run', async () => {
    const twice = capability({
      async wrapRun(next) {
        const first = next();
        await expect(async () => next()).rejects.toThrow(UserError);
        return first;
      },
    });
    const { model, agent } = agentWith([twice], { script: ['One.', 'Two.'] });

    expect(await go(agent)).toMatchObject({ output: 'One.' });
    expect(model.calls).toHaveLength(1);
  });

  it('that does not await the run determines its end, and the run still executes', async () => {
    const hasty = capability({
      async wrapRun(next) {
        void next();
        return done;
      },
    });
    const { model, agent } = agentWith([hasty]);

    expect(await go(agent)).toMatchObject({ output: 'Instead.' });
    expect(model.calls).toHaveLength(1);
  });

  it('sees the run as an inner hook changed it', async () => {
    const log: string[] = [];
    const { agent } = agentWith([noting(log), capability({ wrapRun: async () => done })]);

    await go(agent);

    expect(log).toEqual(['hook in', 'hook finished']);
  });

  it('sees that the run parks, and that another run resumes it', async () => {
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

  it('can end a parked run with an output; its calls stay pending, and nothing executes', async () => {
    const shop = workshop();
    const ending = capability({
      async wrapRun(next) {
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

  it('receives the context of the run', async () => {
    const seen: unknown[] = [];
    const looking = capability({
      async wrapRun(next, ctx) {
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

  it('are the same as without hooks', async () => {
    const { read } = workshop();
    const tools = [read];

    const without = await stepsOf(agentWith([], { script: script(), tools }).agent);
    const around = agentWith([noting([]), noting([])], { script: script(), tools });

    expect(await stepsOf(around.agent)).toEqual(without);
    expect(without.at(-1)).toBe('finished');
  });

  it('end with the result of the hook', async () => {
    const { agent } = agentWith([capability({ wrapRun: (next) => next().catch(() => done) })], {
      script: [broken],
    });

    expect(await stepsOf(agent)).toEqual(['request-model', 'finished']);
  });

  it('contain only the end if the hook skips the run', async () => {
    const { agent } = agentWith([capability({ wrapRun: async () => done })]);

    expect(await stepsOf(agent)).toEqual(['finished']);
  });
});

describe('an error of the run', () => {
  it('is unchanged if no hook replaces it', async () => {
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

  it('stays unobserved if hooks do not await it, and ends no process', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const hasty = capability({
      async wrapRun(next) {
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
