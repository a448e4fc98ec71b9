import type { RunSummary } from '../client/types.ts';
import type { Schema } from '../form/schema.ts';

export type RunState = RunSummary['state'];

/** The states of runs in the order in which people look for them, with their meaning. */
export const RUN_STATES: Readonly<Record<RunState, string>> = {
  ready: 'Waiting for a worker.',
  running: 'A worker is executing it.',
  parked: 'Waiting for decisions.',
  stuck: 'It failed too many times. Retry it after the cause is fixed.',
  finished: 'The agent returned its output.',
  failed: 'It ended with an error.',
  cancelled: 'It was ended before it finished.',
};

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
