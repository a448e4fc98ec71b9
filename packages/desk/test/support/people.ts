import type { Desk, HoldAnswer, HoldRow } from '@holdpoint/desk';

export const ADA = { id: 'ada' };
export const GRACE = { id: 'grace', name: 'Grace' };

/** Grace answers a hold that she has looked at. */
export async function say(desk: Desk, hold: HoldRow, answer: HoldAnswer): Promise<HoldRow> {
  const shown = await shownFor(desk, hold, answer);
  return desk.answer(hold.id, answer, { by: GRACE, digest: hold.digest, shown });
}

/** What an approver is shown for an edit; nothing for other decisions. */
export async function shownFor(
  desk: Desk,
  { id }: HoldRow,
  answer: HoldAnswer,
): Promise<string | undefined> {
  return answer.kind === 'edit' ? (await desk.checkEdit(id, answer.args)).shown : undefined;
}

/** The only open hold of a run. */
export async function onlyHold(desk: Desk, runId: string): Promise<HoldRow> {
  const { items } = await desk.holds({ runId });
  const [hold, ...others] = items;
  if (hold === undefined || others.length > 0) throw new Error(`It has ${items.length} holds.`);
  return hold;
}
