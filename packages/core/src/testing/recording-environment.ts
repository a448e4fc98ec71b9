import { type Environment, liveEnvironment } from '../context/environment.ts';
import { Journal } from './journal.ts';
import type { Recording } from './recording.ts';

/** An environment that remembers what a run took from it. */
export interface RecordingEnvironment extends Environment {
  /** What the run has taken so far, as a copy. */
  readonly recording: Recording;
}

/**
 * An environment that records what a run takes from outside: times, ids, random numbers, what its
 * steps returned, and the order in which steps and sleeps ended.
 *
 * That order is all there is to `all` and `race`, because ends reach the run one at a time, each in a
 * turn of the event loop of its own: what the run does about one is done before the next comes. The
 * run itself gets what its steps returned, not the copy in the recording.
 */
export function recordingEnvironment(base: Environment = liveEnvironment): RecordingEnvironment {
  return new Journal({ asked: [], arrived: [] }, base);
}
