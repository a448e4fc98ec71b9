import { describe } from 'vitest';
import { describePlantedBugs } from './support/describe-planted-bugs.ts';
import { PEOPLE_BUGS } from './support/people/planted-bugs.ts';

const EARLY_SEEDS: ReadonlyMap<string, number> = new Map([
  ['all steps apply when the first one is reached', 6],
  ['an escalated requirement lifts separation of duties', 1],
  ['a revoked delegation is valid', 1],
  ['a person counts for each of their delegators', 3],
  ['a delegator approves the edit that was made on their behalf', 4],
]);

describe('the property of escalation, delegation and named approvers', () => {
  describePlantedBugs(PEOPLE_BUGS, { seed: 20_261_118, early: EARLY_SEEDS });
});
