import * as restate from '@restatedev/restate-sdk';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Execute, executeEveryRun } from '../../../core/test/replay/every-run.ts';
import {
  COUNT_CALLS_OUTSIDE_STEPS,
  skipScenarios,
} from '../../../core/test/replay/skipped-scenarios.ts';
import { onRestate } from '../../src/index.ts';
import type { Mode } from './conformance.ts';
import { RestateServer } from './restate-server.ts';
import { type ServedServices, serveServices } from './serve-services.ts';

type Start = Parameters<Execute>[0];

/** A run in an invocation. The values stay in this process, because tests compare objects. */
interface Invocation {
  readonly start: Start;
  attempts: number;
  settle: (() => unknown) | undefined;
}

/**
 * The definition of a sub-agent's tool is not part of the history, so it is known only to the attempt that executed the
 * step.
 */
const READ_TOOLS_OF_SUB_AGENTS = [
  'is known after the run parked, also for sub-agents, and not from messages',
];

/** Validators are called again in every attempt. This one returns an object that a step changes. */
const VALIDATE_BY_CHANGED_STATE = ['are the validated ones: a sibling that executes first'];

/** Declares the guarantee scenarios of the core, with every run in an invocation. `npm run soak` has all of them. */
export async function describeGuaranteesOnRestate(mode: Mode): Promise<void> {
  skipScenarios(READ_TOOLS_OF_SUB_AGENTS);
  if (mode === 'suspended') {
    skipScenarios([...COUNT_CALLS_OUTSIDE_STEPS, ...VALIDATE_BY_CHANGED_STATE]);
  }
  const countsOf = executeEveryRunOnRestate(mode);
  afterAll(() => {
    const { invocations, attempts } = countsOf();
    console.log(`${mode}: ${invocations} invocations, ${attempts} attempts`);
    expect(invocations).toBeGreaterThan(0);
    // A suspended invocation has an attempt for each step.
    if (mode === 'suspended') expect(attempts).toBeGreaterThan(invocations * 2);
  });
  if (process.env['SOAK_TIMES'] !== undefined) {
    await import('../../../core/test/replay/guarantee-scenarios.ts');
    return;
  }
  await import('../../../core/test/guarantees/examples/busy-and-settled.test.ts');
  await import('../../../core/test/guarantees/examples/in-doubt.test.ts');
  await import('../../../core/test/guarantees/examples/resumed-again.test.ts');
}

/** The invocations and attempts so far. */
interface AttemptCounts {
  readonly invocations: number;
  readonly attempts: number;
}

/** Executes every run of a file's tests in an invocation of a Restate server. Returns the function that counts them. */
function executeEveryRunOnRestate(mode: Mode): () => AttemptCounts {
  const invocations = new Map<string, Invocation>();
  const name = `guarantees-${mode}`;
  let server: RestateServer;
  let isOver = false;
  let served: ServedServices;

  const service = restate.service({
    name,
    handlers: {
      execute: async (ctx: restate.Context, id: string) => {
        const invocation = invocations.get(id);
        if (invocation === undefined) throw new restate.TerminalError(`Unknown run: ${id}`);
        invocation.attempts += 1;
        const { environment, signal } = await onRestate(ctx);
        const settle = await settled(invocation.start(environment, signal));
        // The run of an attempt that has ended was aborted. Its outcome is not that of the invocation.
        signal.throwIfAborted();
        invocation.settle = settle;
      },
    },
    options: mode === 'suspended' ? { inactivityTimeout: 0, abortTimeout: { minutes: 1 } } : {},
  });

  beforeAll(async () => {
    server = await RestateServer.start();
    served = await serveServices([service]);
    await server.register(served.url);
  });
  afterAll(async () => {
    isOver = true;
    await served[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  executeEveryRun(async <T>(start: (...given: Parameters<Start>) => Promise<T>) => {
    const id = String(invocations.size);
    const invocation: Invocation = { start, attempts: 0, settle: undefined };
    invocations.set(id, invocation);
    await server.call(`${name}/execute`, id).catch((error: unknown) => {
      // Several scenarios leave a run that never ends and that they do not await.
      if (isOver) return new Promise<never>(() => {});
      throw error;
    });
    if (invocation.settle === undefined) throw new Error(`Run ${id} has no outcome.`);
    // The handler stored the outcome of this `start`.
    return invocation.settle() as T;
  });

  return () => ({
    invocations: invocations.size,
    attempts: [...invocations.values()].reduce((sum, { attempts }) => sum + attempts, 0),
  });
}

/** Returns a function that returns or throws as the run did. */
async function settled(run: Promise<unknown>): Promise<() => unknown> {
  try {
    const value = await run;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
