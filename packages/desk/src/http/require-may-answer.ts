import type { Desk } from '../desk/desk.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Caller } from './caller.ts';

/** Throws unless a caller may decide a hold. The transaction that records a decision evaluates it again. */
export async function requireMayAnswer(desk: Desk, caller: Caller, hold: HoldRow): Promise<void> {
  const { person: by, roles } = caller;
  const { whyNotAnswer } = await desk.rightsOf(hold, { by, roles });
  if (whyNotAnswer === undefined) return;
  throw new DeskError('may-not-answer', `${whyNotAnswer} Nothing was written.`);
}
