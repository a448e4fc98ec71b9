import { type Environment, liveEnvironment } from '../context/environment.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { Journal } from './journal.ts';
import { type Recording, recordingUpTo } from './recording.ts';

/** An environment that records everything that a run receives from it. */
export interface RecordingEnvironment extends Environment {
  /** A copy of the recording so far. */
  readonly recording: Recording;
}

/**
 * Creates an environment that records everything that a run receives: times, ids, random numbers, results of
 * steps, and the order in which steps and sleeps end.
 *
 * The order is sufficient to repeat `all` and `race`, because each end is delivered in its own turn of the event
 * loop. The run receives the original results of its steps, not the copies in the recording.
 */
export function recordingEnvironment(base: Environment = liveEnvironment): RecordingEnvironment {
  return new Journal({ requests: [], arrivals: [] }, base);
}

/** Options of {@link replayingEnvironment}. */
export interface ReplayOptions {
  /** The number of finished steps to replay. Defaults to all. */
  readonly upTo?: number | undefined;
  /** The environment after the end of the recording. Defaults to the live environment. */
  readonly base?: Environment | undefined;
}

const REPLAY_OPTIONS: OptionTable<ReplayOptions> = { upTo: 'number', base: 'object' };

/** An environment that replays a recording. */
export interface ReplayingEnvironment extends RecordingEnvironment {
  /** The replayed part and, after the end of the recording, everything recorded since. */
  readonly recording: Recording;
  /** The number of recorded steps that the run has not received. */
  readonly remaining: number;
}

/**
 * Creates an environment that returns to a run what a recorded run received: the same times, ids, random numbers
 * and results of steps, in the same order. It does not execute the steps.
 *
 * `upTo` replays only the start, as if the recorded process had ended after that many steps. Steps that were in
 * progress then are executed again. A run that requests something other than the recorded run gets a
 * `ReplayMismatchError` for this and every later request. `replaying()` is true until the run has received the
 * last recorded step.
 */
export function replayingEnvironment(
  recording: Recording,
  options: ReplayOptions = {},
): ReplayingEnvironment {
  checkOptions('`replayingEnvironment`', options, REPLAY_OPTIONS);
  const { upTo, base = liveEnvironment } = options;
  return new Journal(upTo === undefined ? recording : recordingUpTo(recording, upTo), base);
}
