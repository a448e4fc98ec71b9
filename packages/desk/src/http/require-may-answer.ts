import type { Desk } from '../desk/desk.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Caller } from './caller.ts';
import type { DeskRules } from './desk-rules.ts';
import { HttpProblem } from './http-problem.ts';
import { ofApplication } from './of-application.ts';

/**
 * Throws unless somebody may answer a hold. What it goes by does not change while a hold waits, so it can
 * be asked before the answer is written.
 */
export async function requireMayAnswer(
  desk: Desk,
  caller: Caller,
  hold: HoldRow,
  { mayAnswer, notRequester }: DeskRules,
): Promise<void> {
  const run = await desk.run(hold.runId);
  if (notRequester) await requireOther(desk, caller, run);
  // Anything but a clear yes is a no.
  const said = await ofApplication('mayAnswer', async () => mayAnswer(caller, hold, run));
  if (said !== true) throw mayNot('You may not answer this hold.');
}

/**
 * Throws unless somebody has asked for nothing in a run: neither for the run itself nor, with a message to
 * it while it was parked, for what it does since. A message supersedes what waits, so none can come between
 * this and the answer.
 */
async function requireOther(desk: Desk, { person }: Caller, run: RunRow): Promise<void> {
  for await (const asker of askersOf(desk, run)) {
    if (asker === undefined) {
      throw mayNot(
        'Nobody knows who has asked for this run, or for something in it, so nobody can say that it was not you.',
      );
    }
    if (asker.id === person.id) {
      throw mayNot('You have asked for this yourself: somebody else has to answer.');
    }
  }
}

const PAGE = 1_000;

/** Who has asked for a run, or has said something to it, as the audit has it. */
async function* askersOf(desk: Desk, run: RunRow): AsyncGenerator<Person | undefined> {
  yield run.requester;
  for (let after = 0; ; after += PAGE) {
    const entries = await desk.audit(run.id, after, PAGE);
    for (const { kind, by } of entries) if (kind === 'message-received') yield by;
    if (entries.length < PAGE) return;
  }
}

function mayNot(why: string): HttpProblem {
  return new HttpProblem({
    status: 403,
    code: 'may-not-answer',
    message: `${why} Nothing was written.`,
  });
}
