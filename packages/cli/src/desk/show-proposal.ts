import type { HoldView } from '@holdpoint/desk/client';
import { type JsonObject, type JsonValue } from 'holdpoint';
import type { Line } from '../terminal/line.ts';
import { showChange } from '../terminal/show-call.ts';
import { isObject, showFields, showValue } from '../terminal/show-value.ts';
import { duration } from './duration.ts';
import { personText } from './person-text.ts';

/** What is voted on, where that is not the call as it was sent: whoever approves agrees to this. */
export function showProposal(hold: HoldView): readonly Line[] {
  const { args, edit, proposed, remember } = hold;
  return [
    ...(edit ? [proposedBy('other arguments', edit.by), ...changed(args, edit.args)] : []),
    ...(proposed ? [proposedBy('a result', proposed.by), ...showFields(proposed.answer)] : []),
    ...(remember ? [IT_IS_REMEMBERED, ...showFields(rememberFields(remember))] : []),
  ];
}

type Person = NonNullable<HoldView['requester']>;

function proposedBy(what: string, by: Person): Line {
  return {
    text: `${personText(by)} proposed ${what}. Approving agrees to this:`,
    style: 'yellow',
  };
}

const IT_IS_REMEMBERED: Line = {
  text: 'To approve is to let later calls run as well, without anybody being asked:',
  style: 'yellow',
};

function changed(args: JsonValue, edited: JsonValue): readonly Line[] {
  return isObject(args) && isObject(edited) ? showChange(args, edited) : showValue(edited);
}

function rememberFields(remember: NonNullable<HoldView['remember']>): JsonObject {
  const { match, scope = 'conversation', expiresAfter, uses } = remember;
  return {
    calls: typeof match === 'string' ? match : match.args,
    within: scope,
    ...(expiresAfter !== undefined && { for: duration(expiresAfter) }),
    ...(uses !== undefined && { uses }),
  };
}

/** Who may answer, and who has agreed. */
export function approverFields({ approvers, votes }: HoldView): JsonObject {
  const { roles, count = 1, notRequester = false } = approvers ?? {};
  const counting = votes.filter((vote) => vote.counts).map(({ by }) => personText(by));
  return {
    ...(roles && { roles: roles.join(', ') }),
    ...(count > 1 && { votes: `${counting.length} of ${count}${listOf(counting)}` }),
    ...(notRequester && { 'not by': 'the requester' }),
  };
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? '' : `: ${names.join(', ')}`;
}
