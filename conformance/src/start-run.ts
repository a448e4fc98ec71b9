import {
  captureRunMessages,
  type Message,
  type ParkedResult,
  type RunOptions,
  type RunResult,
} from 'holdpoint';
import type { buildAgent, Choice } from './build-agent.ts';
import { logEvent } from './describe-event.ts';
import type { RunLog } from './stage.ts';

type AnyAgent = ReturnType<typeof buildAgent>;

/** The end of a run, with its history. */
export interface Ended {
  /** Absent if the run failed. */
  readonly result?: RunResult | ParkedResult;
  readonly error?: unknown;
  readonly messages: readonly Message[];
}

/** The arguments of a run. */
export interface Start {
  readonly prompt: string | undefined;
  readonly options: RunOptions<unknown, readonly Choice[]>;
  /** True if the model streams its responses. */
  readonly streamed: boolean;
  readonly log: RunLog;
}

/** Runs an agent until the run finishes, parks or fails, and logs its events. */
export function startRun(agent: AnyAgent, start: Start): Promise<Ended> {
  return start.streamed ? stream(agent, start) : run(agent, start);
}

async function run(agent: AnyAgent, { prompt, options, log }: Start): Promise<Ended> {
  const captured = await captureRunMessages(() =>
    agent.run(prompt, {
      ...options,
      onEvent(event) {
        logEvent(log.events, event);
      },
    }),
  );
  return captured.status === 'fulfilled'
    ? { result: captured.value, messages: captured.value.messages }
    : { error: captured.reason, messages: [...captured.messages] };
}

async function stream(agent: AnyAgent, { prompt, options, log }: Start): Promise<Ended> {
  const streaming = agent.stream(prompt, options);
  try {
    for await (const event of streaming) logEvent(log.events, event);
    const result = await streaming.result;
    return { result, messages: result.messages };
  } catch (error) {
    return { error, messages: [...streaming.messages] };
  }
}
