import type { CheckedEditView, DeskClient, HoldView } from '@holdpoint/desk/client';
import { type JsonObject, UserError } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import type { Line } from '../terminal/line.ts';
import { showPreview } from '../terminal/show-preview.ts';
import { showValue } from '../terminal/show-value.ts';

/** Has the desk validate edited arguments and describe the call with them. Nothing is written. */
export async function describeEdit(
  client: DeskClient,
  { id }: HoldView,
  args: JsonObject,
): Promise<CheckedEditView> {
  const checked = await client.check(id, { args });
  const { problems } = checked;
  if (problems.length === 0) return checked;
  const list = problems.map(({ path, message }) => [path, message].filter(Boolean).join(': '));
  throw new UserError(
    `The edited arguments do not match the schema of the tool: ${list.join(' · ')} Nothing was decided.`,
  );
}

/** Shows an edit as the desk described it: what the tool receives, what it does, who has to approve. */
export function showDescribedEdit(
  { args, preview, requirement }: CheckedEditView,
  typed: JsonObject,
): readonly Line[] {
  const isOther = args !== undefined && canonicalJson(args) !== canonicalJson(typed);
  return [
    ...(isOther ? [heading('Arguments the tool will receive'), ...showValue(args)] : []),
    ...(preview === undefined
      ? []
      : [heading('What will happen with your changes'), ...showPreview(preview)]),
    ...(requirement === undefined ? [] : [heading(requirementText(requirement))]),
  ];
}

function requirementText({
  count = 1,
  roles = [],
  notRequester = false,
}: NonNullable<CheckedEditView['requirement']>): string {
  const who = roles.length === 0 ? '' : ` in the role ${roles.join(' or ')}`;
  return `Approvals required: ${count}${who}${notRequester ? ', not by the requester' : ''}`;
}

function heading(text: string): Line {
  return { text, style: 'dim' };
}
