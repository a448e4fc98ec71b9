import { checkOptions, checkSwitch, type KeysOf } from '../model/check-keys.ts';
import { checkAfter } from '../stream/run-reader.ts';
import type { RunStreamEvent, RunStreamOptions } from '../stream/run-stream-event.ts';
import { checkName } from './check-name.ts';
import { checkWhole } from '../model/check-whole.ts';
import type { DeskContext } from './desk-context.ts';
import { requireSignal } from './method-options.ts';

/** The time between two reads of a run, in milliseconds, if no change is reported. */
const POLL_MS = 1_000;

const STREAM_OPTIONS: KeysOf<RunStreamOptions> = {
  after: true,
  continueWhenParked: true,
  signal: true,
  pollMs: true,
};

/** Yields the events of a run. */
export function streamRun(
  { streams }: DeskContext,
  tenant: string,
  runId: string,
  options: RunStreamOptions,
): AsyncGenerator<RunStreamEvent, void> {
  checkOptions<RunStreamOptions>('`desk.stream`', options, STREAM_OPTIONS);
  const { after, continueWhenParked, signal, pollMs = POLL_MS } = options;
  requireSignal('stream', signal);
  return streams.read(tenant, checkName('runId', runId), {
    after: checkAfter(after),
    continueWhenParked: checkSwitch('continueWhenParked', continueWhenParked),
    pollMs: checkWhole('pollMs', pollMs),
    signal,
  });
}
