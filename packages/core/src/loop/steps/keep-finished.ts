import type { MaybePromise } from '../../context/chain.ts';
import { noteAsked } from '../asked-calls.ts';
import { describeWaiting } from '../describe-waiting.ts';
import type { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { Step } from '../step.ts';
import { recordWaiting } from './park.ts';

/** Works on a round; should that fail, what is finished is kept. */
export function keepingFinished(
  run: Run,
  round: Round,
  work: () => MaybePromise<Step>,
): MaybePromise<Step> {
  const fail = async (error: unknown): Promise<never> => {
    await keepFinished(run, round);
    throw error;
  };
  try {
    const next = work();
    return next instanceof Promise ? next.catch(fail) : next;
  } catch (error) {
    return fail(error);
  }
}

/** A round has failed: the results that are there, and which calls wait, are kept. */
async function keepFinished(run: Run, round: Round): Promise<void> {
  const finished = round.parts();
  if (finished.length > 0) run.append(run.request(finished, { state: 'interrupted' }));
  // With a ledger it is known that a call may have run, and so it can be asked about again.
  if (run.claims !== undefined) round.askAgain();
  if (round.waiting.length > 0) await keepWaiting(run, round, finished.length > 0);
  run.round = undefined;
}

/** What has failed already is the error to tell, and not one of writing down what waits. */
async function keepWaiting(run: Run, round: Round, hasRequest: boolean): Promise<void> {
  if (run.wantsDigests) await describeQuietly(run, round);
  recordWaiting(run, round, hasRequest);
  if (run.wantsDigests) await noteAsked(run, round).catch(() => {});
}

async function describeQuietly(run: Run, round: Round): Promise<void> {
  try {
    await describeWaiting(run, round);
  } catch {
    // They are kept with what is known of them.
  }
}
