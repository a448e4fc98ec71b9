import { Agent, UserError } from 'holdpoint';
import type { ModelCall, ModelResponseData } from 'holdpoint/models';
import { calls, functionModel, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, waysToRun } from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { workshop } from '../../support/deferral.ts';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';
import { broken, saying, noting, trying } from '../../support/model-request-hooks.ts';
import { untyped } from '../../support/untyped.ts';

describe.each(waysToRun)('a hook around requests to the model, with $way,', ({ go }) => {
  it('wraps each request, with the first capability outermost', async () => {
    const log: string[] = [];
    const { read } = workshop();
    const { agent } = agentWith([noting(log, 'first'), noting(log, 'second')], {
      tools: [read],
      script: [
        () => {
          log.push('model');
          return calls('read', { path: 'a' });
        },
        says('Done.'),
      ],
    });

    const result = await go(agent, { capabilities: [noting(log, 'of the run')] });

    expect(result.output).toBe('Done.');
    expect(log.slice(0, 7)).toEqual([
      'first asks',
      'second asks',
      'of the run asks',
      'model',
      'of the run got it',
      'second got it',
      'first got it',
    ]);
    expect(log).toHaveLength(13);
  });

  it('can change settings and the request; the history stays unchanged', async () => {
    const changing = capability({
      wrapModelRequest: (call, next) =>
        next({
          ...call,
          settings: { ...call.settings, temperature: 0 },
          instructions: 'Be brief.',
          messages: [
            { kind: 'request', parts: [{ kind: 'user-prompt', content: 'Something else.' }] },
          ],
        }),
    });
    const { model, agent } = agentWith([changing], { modelSettings: { maxTokens: 5 } });

    const result = await go(agent);

    expect(model.calls).toMatchObject([
      {
        settings: { maxTokens: 5, temperature: 0 },
        instructions: 'Be brief.',
        messages: [{ parts: [{ content: 'Something else.' }] }],
      },
    ]);
    expect(partsOf(result.messages)).toMatchObject([{ content: 'Go.' }, { content: 'Done.' }]);
  });

  it('sees the changes of earlier hooks', async () => {
    const warm = (temperature: number) =>
      capability({
        wrapModelRequest: (call, next) =>
          next({
            ...call,
            settings: {
              ...call.settings,
              temperature: (call.settings?.temperature ?? 0) + temperature,
            },
          }),
      });
    const { model, agent } = agentWith([warm(0.25), warm(0.5)]);

    await go(agent);

    expect(model.calls[0]?.settings).toEqual({ temperature: 0.75 });
  });

  it('can return its own response without calling the model', async () => {
    const kept = new Map<string, ModelResponseData>();
    const caching = capability({
      async wrapModelRequest(call, next) {
        const key = JSON.stringify(call.messages.map(({ parts }) => parts));
        const known = kept.get(key) ?? (await next(call));
        kept.set(key, known);
        return known;
      },
    });
    const { model, agent } = agentWith([caching], { script: ['Once.'] });

    const results = [await go(agent), await go(agent)];

    expect(results.map(({ output }) => output)).toEqual(['Once.', 'Once.']);
    expect(model.calls).toHaveLength(1);
    expect(results[1]?.messages.at(-1)).toMatchObject({
      kind: 'response',
      runId: results[1]?.runId,
    });
  });

  it('can request again after an error', async () => {
    const { model, agent } = agentWith([trying], { script: [broken, 'Done.'] });

    const result = await go(agent);

    expect(result).toMatchObject({ output: 'Done.', usage: { requests: 1 } });
    expect(model.calls).toHaveLength(2);
    expect(result.messages).toHaveLength(2);
  });

  it('can request another model', async () => {
    const other = scriptedModel('From elsewhere.');
    const elsewhere = capability({ wrapModelRequest: (call) => other.request(call) });
    const { model, agent } = agentWith([elsewhere]);

    expect(await go(agent)).toMatchObject({ output: 'From elsewhere.' });
    expect(model.calls).toEqual([]);
  });

  it('can change the response', async () => {
    const softening = capability({
      async wrapModelRequest(call, next) {
        const response = await next(call);
        return { ...response, parts: [{ kind: 'text', content: 'Something nicer.' }] };
      },
    });

    const result = await go(agentWith([softening]).agent);

    expect(result.output).toBe('Something nicer.');
    expect(result.messages.at(-1)?.parts).toEqual([{ kind: 'text', content: 'Something nicer.' }]);
  });

  it('fails the run with the error that it throws', async () => {
    const failing = capability({ wrapModelRequest: () => Promise.reject(broken) });
    const { model, agent } = agentWith([failing]);

    expect(await rejectionOf(go(agent))).toBe(broken);
    expect(model.calls).toEqual([]);
  });

  it('receives the context of the step', async () => {
    const steps: unknown[] = [];
    const { read } = workshop();
    const looking = capability({
      wrapModelRequest(call, next, ctx) {
        steps.push([ctx.runStep, ctx.messages.length, ctx.modelSettings]);
        return next(call);
      },
    });
    const { agent } = agentWith([looking], {
      tools: [read],
      script: [calls('read', { path: 'a' }), says('Done.')],
      modelSettings: { seed: 3 },
    });

    await go(agent);

    expect(steps).toEqual([
      [1, 1, { seed: 3 }],
      [2, 3, { seed: 3 }],
    ]);
  });

  it('has a signal in every request, also in a copy that another hook made', async () => {
    const signals: unknown[] = [];
    const copying = capability({ wrapModelRequest: (call, next) => next({ ...call }) });
    const looking = capability({
      wrapModelRequest(call, next) {
        signals.push(call.signal);
        return next(call);
      },
    });
    const { model, agent } = agentWith([copying, looking]);

    await go(agent);

    expect([...signals, model.calls[0]?.signal]).toEqual([
      expect.any(AbortSignal),
      expect.any(AbortSignal),
    ]);
  });

  it('can set another signal for the request', async () => {
    const reason = new Error('Too slow.');
    const impatient = capability({
      wrapModelRequest(call, next) {
        const signal = AbortSignal.any([call.signal, AbortSignal.abort(reason)]);
        return next({ ...call, signal });
      },
    });
    const { model, agent } = agentWith([impatient]);

    await go(agent);

    expect(model.calls[0]?.signal.reason).toBe(reason);
  });
});

describe('a hook around requests to the model', () => {
  it('that returns no response is an error', async () => {
    const forgetful = capability({
      wrapModelRequest: untyped(
        async (call: ModelCall, next: (call: ModelCall) => Promise<unknown>) => {
          await next(call);
        },
      ),
    });

    await expect(agentWith([forgetful]).agent.run('Go.')).rejects.toThrow(UserError);
  });

  it('that throws synchronously is an ordinary error for outer hooks', async () => {
    const throwing = capability({
      wrapModelRequest() {
        throw broken;
      },
    });
    const recovering = capability({
      wrapModelRequest: (call, next) => next(call).catch(() => saying('Instead.')),
    });

    const result = await agentWith([recovering, throwing]).agent.run('Go.');

    expect(result.output).toBe('Instead.');
  });

  it('is not awaited after the run was aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('Somebody pressed stop.');
    const { agent } = agentWith([capability({ wrapModelRequest: never })]);

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
  });

  it('has its request aborted with the run', async () => {
    const controller = new AbortController();
    const requested = latch<ModelCall>();
    const model = functionModel((call) => {
      requested.open(call);
      return never();
    });
    const copying = capability({ wrapModelRequest: (call, next) => next({ ...call }) });
    const agent = new Agent({ model, capabilities: [copying] });

    const running = agent.run('Go.', { signal: controller.signal });
    const { signal } = await requested.opened;
    controller.abort(new Error('Stop.'));

    await rejectionOf(running);
    expect(signal.aborted).toBe(true);
  });

  it('counts its own response as one request', async () => {
    const { agent } = agentWith([
      capability({
        wrapModelRequest: async () => ({
          ...saying('Made up.'),
          usage: { inputTokens: 3, outputTokens: 4 },
        }),
      }),
    ]);

    const { usage } = await agent.run('Go.');

    expect(usage).toMatchObject({ requests: 1, inputTokens: 3, outputTokens: 4 });
  });

  it('cannot exceed the limit of requests with repeated requests', async () => {
    const { model, agent } = agentWith([trying], {
      script: [broken, calls('read', { path: 'a' })],
      tools: [workshop().read],
      usageLimits: { requestLimit: 1 },
    });

    await expect(agent.run('Go.')).rejects.toThrow(/limit/i);
    expect(model.calls).toHaveLength(2);
  });
});
