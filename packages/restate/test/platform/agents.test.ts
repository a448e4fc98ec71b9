import { setTimeout as sleep } from 'node:timers/promises';
import * as restate from '@restatedev/restate-sdk';
import {
  Agent,
  DeferredToolRequests,
  messageCodec,
  requestsCodec,
  resultsCodec,
  type RunResultOf,
  tool,
  UserError,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asTerminalError, onRestate, restateEnvironment } from '../../src/index.ts';
import { RestateServer } from '../support/restate-server.ts';
import { CountedToolset, Log, payTool, responsesIn, turns } from '../support/sample-agents.ts';
import { serveServices } from '../support/serve-services.ts';

const output = [String, DeferredToolRequests] as const;
let server: RestateServer;
let services = 0;

beforeAll(async () => {
  server = await RestateServer.start();
});

afterAll(() => server[Symbol.asyncDispose]());

/** Serves a handler; with `suspended`, the server ends the attempt at every step. */
async function serve(
  handle: (ctx: restate.Context) => Promise<unknown>,
  { suspended = false, ...options }: restate.ServiceOptions & { suspended?: boolean } = {},
) {
  const name = `agents-${services++}`;
  const service = restate.service({
    name,
    handlers: { run: (ctx: restate.Context) => handle(ctx) },
    options: {
      asTerminalError,
      ...(suspended && { inactivityTimeout: 0, abortTimeout: { minutes: 1 } }),
      ...options,
    },
  });
  const served = await serveServices([service]);
  await server.register(served.url);
  return {
    call: () => server.call(`${name}/run`),
    send: async () => {
      const { invocationId } = (await server.call(`${name}/run/send`)) as { invocationId: string };
      return invocationId;
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

async function until<T>(read: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(25);
  }
  throw new Error('The expected state was not reached.');
}

describe.each([{ suspended: false }, { suspended: true }])(
  'an agent in a Restate handler, suspended at every step: $suspended',
  ({ suspended }) => {
    it('executes each model request and each tool call once', async () => {
      const log = new Log();
      const toolset = new CountedToolset(log);
      const model = turns(
        log,
        responds(calls('read', { path: 'a' }), calls('read', { path: 'b' })),
        calls('read', { path: 'c' }),
      );
      const agent = new Agent({ model, toolsets: [toolset] });
      await using service = await serve(
        async (ctx) => (await agent.run('Go.', await onRestate(ctx))).output,
        { suspended },
      );

      expect(await service.call()).toBe('Done.');

      for (const line of ['model 0', 'model 1', 'model 2', 'read a', 'read b', 'read c']) {
        expect([line, log.count(line)]).toEqual([line, 1]);
      }
      const opens = await until(() =>
        log.count('open') === log.count('close') ? log.count('open') : undefined,
      );
      if (suspended) expect(opens).toBeGreaterThan(2);
      else expect(opens).toBe(1);
    });

    it('awaits an approval with an awakeable in the deferred tool handler', async () => {
      const log = new Log();
      const agent = new Agent({
        model: turns(log, calls('pay', { to: 'a' })),
        tools: [payTool(log)],
      });
      let awakeableId: string | undefined;
      await using service = await serve(
        async (ctx) => {
          const options = await onRestate(ctx);
          const result = await agent.run('Go.', {
            ...options,
            async deferredToolHandler(requests) {
              const { id, promise } = ctx.awakeable<boolean>();
              awakeableId = id;
              const isApproved = await options.environment.waitFor(promise);
              return requests.buildResults({ approveAll: isApproved });
            },
          });
          return result.output;
        },
        { suspended },
      );
      const ended = service.call();
      const id = await until(() => awakeableId);
      await server.call(`restate/awakeables/${id}/resolve`, true);

      expect(await ended).toBe('Done.');
      expect(log.count('paid a')).toBe(1);
    });

    it('executes a sub-agent as one step', async () => {
      const log = new Log();
      const clerk = new Agent({
        name: 'clerk',
        model: functionModel(({ messages }) => {
          log.add(`clerk ${responsesIn(messages)}`);
          return says('filed');
        }),
      });
      const agent = new Agent({
        model: turns(log, calls('clerk', { prompt: 'File it.' })),
        tools: [clerk.asTool({ description: 'Files.' })],
      });
      await using service = await serve(
        async (ctx) => (await agent.run('Go.', await onRestate(ctx))).output,
        { suspended },
      );

      expect(await service.call()).toBe('Done.');
      expect(log.count('clerk 0')).toBe(1);
    });

    it('emits each delta of a stream once that is not marked as replayed', async () => {
      const log = new Log();
      const model = functionModel(() => says('unused'), {
        async *stream({ messages }) {
          if (responsesIn(messages) === 0) yield calls('read', { path: 'a' });
          else for (const word of ['One ', 'two ', 'three.']) yield word;
        },
      });
      const agent = new Agent({ model, toolsets: [new CountedToolset(log)] });
      await using service = await serve(
        async (ctx) => {
          const stream = agent.stream('Go.', await onRestate(ctx));
          for await (const event of stream) {
            if ('replayed' in event && event.replayed) continue;
            if (event.kind === 'text-delta') log.add(`delta ${event.text}`);
            if (event.kind === 'tool-call') log.add(event.kind);
          }
          return (await stream.result).output;
        },
        { suspended },
      );

      expect(await service.call()).toBe('One two three.');
      const deltas = log.lines.filter((line) => line.startsWith('delta'));
      expect(deltas).toEqual(['delta One ', 'delta two ', 'delta three.']);
      expect(log.count('tool-call')).toBe(1);
    });

    it('fails once with an error that no attempt can avoid', async () => {
      const log = new Log();
      const model = functionModel(() => {
        log.add('model');
        throw new Error('The account is closed.');
      });
      const agent = new Agent({ model });
      await using service = await serve(
        async (ctx) => {
          log.add('attempt');
          return (await agent.run('Go.', await onRestate(ctx))).output;
        },
        { suspended },
      );

      await expect(service.call()).rejects.toThrow('The account is closed.');
      expect(log.count('model')).toBe(1);
      expect(log.count('attempt')).toBeLessThan(4);
    });
  },
);

describe('legs of a run', () => {
  it('parks without an open invocation, and resumes from outside in another one', async () => {
    const log = new Log();
    const agent = new Agent({
      model: turns(log, calls('pay', { to: 'a' })),
      tools: [payTool(log)],
      output,
    });
    const name = 'legs';
    const store = (ctx: restate.ObjectContext, result: RunResultOf<typeof output>) => {
      ctx.set('messages', messageCodec.stringify(result.messages));
      if (result.status === 'finished') return result.output;
      return requestsCodec.stringify(result.output);
    };
    const legs = restate.object({
      name,
      handlers: {
        start: async (ctx: restate.ObjectContext, prompt: string) =>
          store(ctx, await agent.run(prompt, await onRestate(ctx))),
        resume: async (ctx: restate.ObjectContext, results: string) => {
          const options = await onRestate(ctx);
          const messages = messageCodec.parse(String(await ctx.get<string>('messages')));
          return store(ctx, await agent.resume({ messages }, resultsCodec.parse(results), options));
        },
      },
      options: { asTerminalError, journalRetention: 0 },
    });
    await using served = await serveServices([legs]);
    await server.register(served.url);

    const parked = String(await server.call(`${name}/run-1/start`, 'Pay a.'));
    const open = await server.query(
      `select id, status from sys_invocation where target_service_name = '${name}' and status <> 'completed'`,
    );
    const results = requestsCodec.parse(parked).buildResults({ approveAll: true });
    const finished = await server.call(`${name}/run-1/resume`, resultsCodec.stringify(results));

    expect(open).toEqual([]);
    expect(finished).toBe('Done.');
    expect(log.count('paid a')).toBe(1);
  });
});

describe('a cancelled invocation', () => {
  it('aborts the signal of the tool and closes the toolsets', async () => {
    const log = new Log();
    const wait = tool({
      name: 'wait',
      inputSchema: z.object({}),
      async execute(_, ctx) {
        log.add('started');
        await new Promise((resolve) => {
          ctx.signal.addEventListener('abort', resolve, { once: true });
        });
        log.add('aborted');
        return 'aborted';
      },
    });
    const agent = new Agent({
      model: turns(log, calls('wait', {})),
      tools: [wait],
      toolsets: [new CountedToolset(log)],
    });
    await using service = await serve(
      async (ctx) => (await agent.run('Go.', await onRestate(ctx))).output,
    );
    const invocationId = await service.send();
    await until(() => (log.count('started') > 0 ? true : undefined));

    await server.request('PATCH', `/invocations/${invocationId}/cancel`);

    await until(() => (log.count('aborted') > 0 && log.count('close') > 0 ? true : undefined));
    expect([log.count('started'), log.count('open'), log.count('close')]).toEqual([1, 1, 1]);
  });
});

describe('limits of Restate', () => {
  const fail = async (execute: () => Promise<string>, limits: object) => {
    const log = new Log();
    const heavy = tool({
      name: 'heavy',
      inputSchema: z.object({}),
      execute: () => {
        log.add('executed');
        return execute();
      },
    });
    const agent = new Agent({ model: turns(log, calls('heavy', {})), tools: [heavy] });
    await using service = await serve(
      async (ctx) => (await agent.run('Go.', await onRestate(ctx, limits))).output,
    );
    const message = await service.call().then(String, (error: Error) => error.message);
    return { message, executions: log.count('executed') };
  };

  it('fails a step whose result Restate cannot store, instead of a repetition', async () => {
    const { message, executions } = await fail(async () => 'x'.repeat(33 * 2 ** 20), {});

    expect(message).toContain('`tool:heavy` returned 346');
    expect(message).toContain('`maxResultBytes`');
    expect(executions).toBe(1);
  });

  it('fails a step that takes longer than the timeouts of Restate, instead of a repetition', async () => {
    const { message, executions } = await fail(() => sleep(5_000, 'late'), { maxStepMs: 100 });

    expect(message).toContain('took longer than `maxStepMs` (100 ms)');
    expect(executions).toBe(1);
  });

  it('rejects unknown options', async () => {
    await using service = await serve(async (ctx) => {
      const options = { maxSteps: 1 } as object;
      await restateEnvironment(ctx, options);
    });

    await expect(service.call()).rejects.toThrow('has no option `maxSteps`');
  });

  it('returns no terminal error for errors that may not occur again', () => {
    expect(asTerminalError(new Error('The network failed.'))).toBeUndefined();
    expect(asTerminalError(new UserError('Wrong.'))?.message).toBe('UserError: Wrong.');
  });
});
