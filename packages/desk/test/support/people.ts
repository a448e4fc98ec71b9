import type { Desk, Decision, HoldRow } from '@holdpoint/desk';

export const ADA = { id: 'ada' };
export const GRACE = { id: 'grace', name: 'Grace' };

/** Records a decision of Grace, who was shown the hold. */
export async function decide(desk: Desk, hold: HoldRow, decision: Decision): Promise<HoldRow> {
  const shown = await shownFor(desk, hold, decision);
  return desk.decide(hold.id, decision, { by: GRACE, digest: hold.digest, shown });
}

/** Returns the digest of the preview of an edit, or nothing for other decisions. */
export async function shownFor(
  desk: Desk,
  { id }: HoldRow,
  decision: Decision,
): Promise<string | undefined> {
  return decision.kind === 'approve' && decision.args !== undefined
    ? (await desk.previewEdit(id, decision.args)).shown
    : undefined;
}

/** The only open hold of a run. */
export async function onlyHold(desk: Desk, runId: string): Promise<HoldRow> {
  const { items } = await desk.holds({ runId });
  const [hold, ...others] = items;
  if (hold === undefined || others.length > 0) throw new Error(`It has ${items.length} holds.`);
  return hold;
}
