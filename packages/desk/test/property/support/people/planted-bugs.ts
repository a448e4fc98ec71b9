import type { PlantedBug } from '../planted-bug.ts';

const DELEGATED = 'desk/src/approvers/delegated.ts';
const ELIGIBILITY = 'desk/src/approvers/eligibility.ts';
const ESCALATION = 'desk/src/approvers/escalation.ts';
const DECIDE = 'desk/src/transitions/decide-hold.ts';
const TIMER = 'desk/src/approvers/hold-timer.ts';
const DELEGATE = 'desk/src/transitions/delegate.ts';
const DELEGATIONS = 'desk/src/store/sql/delegations.ts';

type Replaced = readonly [file: string, text: string, by: string];

function bug(name: string, ...replacements: readonly Replaced[]): PlantedBug {
  return {
    name,
    theme: 'people',
    replacements: replacements.map(([file, text, by]) => ({ file, text, by })),
  };
}

/** Bugs in escalation, delegation and named approvers. */
export const PEOPLE_BUGS: readonly PlantedBug[] = [
  bug('a step of escalation applies from the beginning', [
    TIMER,
    '!isReached && hold.createdAt + afterMs <= now,',
    '!isReached && hold.createdAt <= now + afterMs,',
  ]),
  bug('all steps apply when the first one is reached', [
    ESCALATION,
    'escalate.filter(({ afterMs }) => afterMs <= ageMs)',
    'escalate.filter(({ afterMs }) => afterMs > 0 || ageMs > 0)',
  ]),
  bug('an escalated requirement needs one approval', [
    ESCALATION,
    '    ...requirement,\n    ...addedNames',
    '    ...requirement,\n    count: 1,\n    ...addedNames',
  ]),
  bug('an escalated requirement lifts separation of duties', [
    ESCALATION,
    '    ...requirement,\n    ...addedNames',
    '    ...requirement,\n    notRequester: false,\n    ...addedNames',
  ]),
  bug(
    'a delegation is valid after its end',
    [
      DELEGATIONS,
      "        .where('revoked_at', 'is', null)\n        .where('ends_at', '>', now)\n        .orderBy",
      "        .where('revoked_at', 'is', null)\n        .orderBy",
    ],
    [
      DELEGATE,
      'row.revokedAt !== undefined || row.endsAt <= now) continue;',
      'row.revokedAt !== undefined) continue;',
    ],
  ),
  bug(
    'a revoked delegation is valid',
    [
      DELEGATIONS,
      "        .where('revoked_at', 'is', null)\n        .where('ends_at', '>', now)\n        .orderBy",
      "        .where('ends_at', '>', now)\n        .orderBy",
    ],
    [
      DELEGATE,
      'row.revokedAt !== undefined || row.endsAt <= now) continue;',
      'row.endsAt <= now) continue;',
    ],
  ),
  bug('every person can use every delegation', [
    DELEGATIONS,
    "        .where('delegate_key', '=', personKey(delegate))\n",
    '',
  ]),
  bug('a delegate also has roles of their own', [
    DELEGATED,
    'return onBehalfOf ?? { ...by, roles };',
    'return { ...by, ...onBehalfOf, roles: [...(roles ?? []), ...(onBehalfOf?.roles ?? [])] };',
  ]),
  bug('lent roles stay when the delegator loses them', [
    DELEGATED,
    'return roles && { ...delegator, roles, delegationId: id };',
    'return roles && { ...delegator, roles: lent, delegationId: id };',
  ]),
  bug('a person counts for each of their delegators', [
    DELEGATED,
    'return [by, ...(onBehalfOf === undefined ? [] : [onBehalfOf])].map(personKey);',
    'return [onBehalfOf ?? by].map(personKey);',
  ]),
  bug('a delegator counts in addition to their delegate', [
    DELEGATED,
    'return [by, ...(onBehalfOf === undefined ? [] : [onBehalfOf])].map(personKey);',
    'return [by].map(personKey);',
  ]),
  bug('a requester has a delegate decide', [
    ELIGIBILITY,
    '(onBehalfOf && whyNotSeparate(hold, onBehalfOf) && DELEGATOR_REQUESTED)',
    '(onBehalfOf === null ? DELEGATOR_REQUESTED : undefined)',
  ]),
  bug('a requester decides as a delegate', [
    ELIGIBILITY,
    'whyNotSeparate(hold, by) ??\n',
    '(onBehalfOf ? undefined : whyNotSeparate(hold, by)) ??\n',
  ]),
  bug('a delegator approves the edit that was made on their behalf', [
    ELIGIBILITY,
    '...(proposal.authoredFor ? [proposal.authoredFor] : [])',
    '',
  ]),
  bug('every person can request changes', [
    DECIDE,
    "  if (whyNot !== undefined) {\n    throw new DeskError('may-not-decide'",
    "  if (whyNot !== undefined && decision.kind !== 'retry') {\n    throw new DeskError('may-not-decide'",
  ]),
  bug('a delegate approves the edit of their delegator', [
    ELIGIBILITY,
    'const isAuthor = authors.some((author) => parties.includes(personKey(author)));',
    'const isAuthor = authors.some((author) => parties[0] === personKey(author));',
  ]),
];
