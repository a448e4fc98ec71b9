import type { ApproverRule } from '@holdpoint/desk';

/** Somebody, and all the ways in which they may write their id. */
export interface SomePerson {
  readonly spellings: readonly string[];
  readonly roles: readonly string[];
}

export const PEOPLE: readonly SomePerson[] = [
  { spellings: ['ada', 'Ada'], roles: ['lead'] },
  { spellings: ['lin', 'LIN', 'ｌin'], roles: ['lead'] },
  { spellings: ['kim'], roles: ['lead', 'cfo'] },
  { spellings: ['bob'], roles: ['clerk'] },
];

/** To whom money goes decides the rule; there are two versions of the policy. */
export const POLICIES: readonly Readonly<Record<string, ApproverRule | undefined>>[] = [
  {
    a: { remember: 'tenant' },
    b: { roles: ['lead'], count: 2, notRequester: true, remember: 'tenant' },
    c: { count: 2, decisionValidFor: 1_000, remember: 'tenant' },
    d: { roles: ['cfo'], remember: 'agent' },
  },
  {
    a: { count: 2, remember: 'tenant' },
    b: { notRequester: true, remember: 'tenant' },
    c: { roles: ['lead'], count: 3, remember: 'requester', decisionValidFor: 1_000 },
    d: undefined,
  },
];

export const PAYEES = ['a', 'b', 'c', 'd'] as const;
