import type { Environment } from 'holdpoint/agents';
import { type Recording, recordingEnvironment, replayingEnvironment } from 'holdpoint/testing';
import { strictEnvironment } from './strict-environment.ts';

/** A recording as a database returns it. */
export function storedRecording(recording: Recording): Recording {
  return JSON.parse(JSON.stringify(recording)) as Recording;
}

/** The number of steps in a recording that have ended. */
export function endedSteps({ requests, arrivals }: Recording): number {
  return arrivals.filter(({ requestIndex }) => requests[requestIndex]?.kind === 'step').length;
}

/** The results of two attempts at one run. */
export interface Attempts<T> {
  readonly first: T;
  readonly second: T;
  /** Recorded steps that the second attempt did not request. */
  readonly remaining: number;
}

/** Records `work`, then replays it: completely, or as after a crash that followed `upTo` steps. */
export async function recordAndReplay<T>(
  work: (environment: Environment) => Promise<T>,
  upTo?: number,
): Promise<Attempts<T>> {
  const recorder = recordingEnvironment();
  const first = await work(strictEnvironment(recorder));
  const replayer = replayingEnvironment(storedRecording(recorder.recording), { upTo });
  const second = await work(strictEnvironment(replayer));
  return { first, second, remaining: replayer.remaining };
}
