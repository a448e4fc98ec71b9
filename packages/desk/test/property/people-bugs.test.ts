import { describe } from 'vitest';
import { describePlantedBugs } from './support/describe-planted-bugs.ts';
import { PEOPLE_BUGS } from './support/people/planted-bugs.ts';

const EARLY_SEEDS: ReadonlyMap<string, number> = new Map([
  ['all steps apply when the first one is reached', 10],
  ['an escalated requirement lifts separation of duties', 1],
  ['a delegation is valid after its end', 10],
  ['a revoked delegation is valid', 1],
  ['every person can use every delegation', 7],
  ['a delegate also has roles of their own', 4],
  ['lent roles stay when the delegator loses them', 3],
  ['a person counts for each of their delegators', 7],
  ['a delegator counts in addition to their delegate', 2],
  ['a requester decides as a delegate', 5],
  ['a delegator approves the edit that was made on their behalf', 6],
  ['a delegate approves the edit of their delegator', 6],
]);

describe('the property of escalation, delegation and named approvers', () => {
  describePlantedBugs(PEOPLE_BUGS, { seed: 20_261_118, early: EARLY_SEEDS });
});
