import { type Environment, liveEnvironment } from '../context/environment.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { Journal } from './journal.ts';
import { type Recording, recordingUpTo } from './recording.ts';
import type { RecordingEnvironment } from './recording-environment.ts';

/** How far a recording is played back, and what comes then. */
export interface ReplayOptions {
  /** How many finished steps are played back; all unless said otherwise. */
  readonly upTo?: number | undefined;
  /** Where the run goes on when the recording ends; the live environment unless said otherwise. */
  readonly base?: Environment | undefined;
}

const OPTIONS: OptionTable<ReplayOptions> = { upTo: 'number', base: 'object' };

/** An environment that plays a recording back. */
export interface ReplayingEnvironment extends RecordingEnvironment {
  /** What was played back so far and, after the end of the recording, what was recorded on top. */
  readonly recording: Recording;
  /** How many recorded steps have not reached the run yet. */
  readonly remaining: number;
}

/**
 * An environment that gives a run what another run got: the same times, ids and random numbers, the
 * same results of steps without doing them, in the same order.
 *
 * `upTo` plays only the beginning, as if the process of the recorded run had ended right after that
 * many steps; steps that were under way then are done again, and everything after them happens for
 * the first time. A run that asks for something else than was recorded gets a `ReplayMismatchError`,
 * from then on for everything it asks for. `replaying()` holds until the last recorded step has
 * reached the run.
 */
export function replayingEnvironment(
  recording: Recording,
  options: ReplayOptions = {},
): ReplayingEnvironment {
  checkOptions('`replayingEnvironment`', options, OPTIONS);
  const { upTo, base = liveEnvironment } = options;
  return new Journal(upTo === undefined ? recording : recordingUpTo(recording, upTo), base);
}
