import { Agent, dumpMessages, type Environment, type Message } from 'holdpoint';
import {
  recordingEnvironment,
  replayingEnvironment,
  shufflingEnvironment,
} from 'holdpoint/testing';
import { expect } from 'vitest';
import { storedRecording } from './record-and-replay.ts';
import { strictEnvironment } from './strict-environment.ts';

/** A run that has not started, for any environment. */
type Start<T> = (environment: Environment) => Promise<T>;

/** Executes a run in some environment. */
export type Execute = <T>(start: Start<T>) => Promise<T>;

/** Records the run. */
export const onRecording: Execute = (start) => start(strictEnvironment(recordingEnvironment()));

/** Lets steps that execute at the same time end in a random order. */
export function onShuffling(seed: number): Execute {
  return (start) => start(strictEnvironment(shufflingEnvironment(seed)));
}

/** Records the run, replays it with everything that changed since, and expects the same result. */
export const onReplay: Execute = async (start) => {
  const recorder = recordingEnvironment();
  const recorded = await settledBy(start(strictEnvironment(recorder)));
  const replayer = replayingEnvironment(storedRecording(recorder.recording));
  const replayed = await settledBy(start(strictEnvironment(replayer)));
  expect(replayed.text, 'the replayed run').toEqual(recorded.text);
  return recorded.give();
};

interface Settled<T> {
  /** What a caller can tell apart. */
  readonly text: unknown;
  readonly give: () => T;
}

async function settledBy<T>(run: Promise<T>): Promise<Settled<T>> {
  try {
    const value = await run;
    return { text: textOf(value), give: () => value };
  } catch (error) {
    const { name, message, code } = error as Error & { readonly code?: string };
    const give = () => {
      throw error;
    };
    return { text: { name, message, code }, give };
  }
}

function textOf(value: unknown): unknown {
  const { status, messages } = value as { status: string; messages: readonly Message[] };
  return { status, messages: JSON.parse(dumpMessages(messages)) };
}

interface RunOptions {
  readonly environment?: unknown;
  readonly parent?: unknown;
  readonly signal?: unknown;
}

/**
 * Has every run of this file's tests executed by `execute`.
 *
 * Exempt are runs with an environment of their own, runs inside another one (`parent`), and runs that the test aborts:
 * an abort is not part of a recording.
 */
export function executeEveryRun(execute: Execute): void {
  const { run, resume } = Agent.prototype;
  const isExempt = ({ environment, parent, signal }: RunOptions = {}) =>
    environment !== undefined || parent !== undefined || signal !== undefined;
  Object.assign(Agent.prototype, {
    run(this: Agent, prompt: string, options?: RunOptions) {
      const start = (more: object) => run.call(this, prompt, { ...options, ...more });
      return isExempt(options) ? start({}) : execute((environment) => start({ environment }));
    },
    resume(this: Agent, ...[parked, results, options]: Parameters<Agent['resume']>) {
      const start = (more: object) => resume.call(this, parked, results, { ...options, ...more });
      return isExempt(options) ? start({}) : execute((environment) => start({ environment }));
    },
  });
}
