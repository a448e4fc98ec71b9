import { isOutsideAgent } from '../../src/model/request-facts.ts';
import type { RunSummary } from '../client/types.ts';
import type { Schema } from '../form/schema.ts';

export type RunState = RunSummary['state'];

/** The states of runs in the order in which people look for them, with their meaning. */
const RUN_STATES: Readonly<Record<RunState, string>> = {
  ready: 'Waiting for a worker.',
  running: 'A worker is executing it.',
  parked: 'Waiting for decisions.',
  stuck: 'It failed too many times. Retry it after the cause is fixed.',
  finished: 'The agent returned its output.',
  failed: 'It ended with an error.',
  cancelled: 'It was ended before it finished.',
};

/** The meanings of the states of requests, whose calls other programs execute. */
const REQUEST_STATES: Readonly<Partial<Record<RunState, string>>> = {
  ready: 'Its call is approved. The program that requested it can execute it.',
  running: 'The program that requested the call has claimed it.',
  finished: 'It has an outcome.',
};

/** Returns the meaning of the state of a run. */
export function meaningOf({ agent, state }: Pick<RunSummary, 'agent' | 'state'>): string {
  return (isOutsideAgent(agent) ? REQUEST_STATES[state] : undefined) ?? RUN_STATES[state];
}

// The keys of the table are the states.
export const RUN_STATE_NAMES: readonly RunState[] = Object.keys(RUN_STATES) as RunState[];

/** The names of the counts in the usage of a run. */
export const USAGE: Schema = {
  properties: {
    requests: { title: 'Model requests' },
    toolCalls: { title: 'Tool calls' },
    inputTokens: { title: 'Input tokens' },
    outputTokens: { title: 'Output tokens' },
    cacheReadTokens: { title: 'Tokens read from the cache' },
    cacheWriteTokens: { title: 'Tokens written to the cache' },
    inputAudioTokens: { title: 'Audio tokens in the input' },
    outputAudioTokens: { title: 'Audio tokens in the output' },
    cacheAudioReadTokens: { title: 'Audio tokens read from the cache' },
    details: { title: 'Other counts of the provider' },
  },
};
