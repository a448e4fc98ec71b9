import { Agent, type Message, messageCodec } from 'holdpoint';
import type { Environment } from 'holdpoint/agents';
import {
  recordingEnvironment,
  replayingEnvironment,
  shufflingEnvironment,
} from 'holdpoint/testing';
import { expect } from 'vitest';
import { storedRecording } from './record-and-replay.ts';
import { strictEnvironment } from './strict-environment.ts';

/** A run that has not started, for any environment. The signal is that of an engine's attempt. */
type Start<T> = (environment: Environment, signal?: AbortSignal) => Promise<T>;

/** Executes a run in an environment. */
export type Execute = <T>(start: Start<T>) => Promise<T>;

/** Records the run. */
export const onRecording: Execute = (start) => start(strictEnvironment(recordingEnvironment()));

/** Ends concurrent steps in a random order. */
export function onShuffling(seed: number): Execute {
  return (start) => start(strictEnvironment(shufflingEnvironment(seed)));
}

/** Records the run, replays it after all later changes, and expects the same result. */
export const onReplay: Execute = async (start) => {
  const recorder = recordingEnvironment();
  const recorded = await settledBy(start(strictEnvironment(recorder)));
  const replayer = replayingEnvironment(storedRecording(recorder.recording));
  const replayed = await settledBy(start(strictEnvironment(replayer)));
  expect(replayed.text, 'the replayed run').toEqual(recorded.text);
  return recorded.give();
};

interface Settled<T> {
  /** The values that a caller can distinguish. */
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
  return { status, messages: JSON.parse(messageCodec.stringify(messages)) };
}

/** An agent without the types of its deps and outputs, which do not matter here. */
interface AnyAgent {
  run(prompt: unknown, options?: AnyOptions): Promise<unknown>;
  resume(parked: unknown, results: unknown, options?: AnyOptions): Promise<unknown>;
}

interface AnyOptions {
  readonly environment?: unknown;
  readonly parent?: unknown;
  readonly signal?: unknown;
}

/**
 * Executes every run of this file's tests with `execute`.
 *
 * It exempts runs with their own environment, runs inside another one (`parent`), and runs that the
 * test aborts, because an abort is not part of a recording.
 */
export function executeEveryRun(execute: Execute): void {
  // Tests call agents of every type, which all have these methods.
  const agents = Agent.prototype as unknown as AnyAgent;
  const { run, resume } = agents;
  const executeUnlessExempt = (
    options: AnyOptions = {},
    start: (options: AnyOptions) => Promise<unknown>,
  ) => {
    const { environment, parent, signal } = options;
    const isExempt = (environment ?? parent ?? signal) !== undefined;
    return isExempt
      ? start(options)
      : execute((given, attempt) =>
          start({ ...options, environment: given, ...(attempt && { signal: attempt }) }),
        );
  };
  agents.run = function (this: AnyAgent, prompt, options) {
    return executeUnlessExempt(options, (given) => run.call(this, prompt, given));
  };
  agents.resume = function (this: AnyAgent, parked, results, options) {
    return executeUnlessExempt(options, (given) => resume.call(this, parked, results, given));
  };
}
