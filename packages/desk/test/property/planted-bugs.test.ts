import { describe, expect, it } from 'vitest';
import { describePlantedBugs } from './support/describe-planted-bugs.ts';
import { PLANTED_BUGS } from './support/planted-bugs.ts';

const EARLY_SEEDS: ReadonlyMap<string, number> = new Map([
  ['one requirement that is met is enough', 3],
  ['separation of duties needs to be demanded by every requirement', 1],
  ['requesters of earlier runs of a conversation are forgotten', 8],
  ['the requirement that was stored when the call was deferred is no floor', 1],
  ['`mayDecide` is not called for the edited call', 2],
  ['rules allow grants by default', 7],
  ['the description that an author confirms is not compared', 7],
  ['the votes are not counted again before the call executes', 3],
  ['the description of an edit is lost on the way to the gate', 8],
  ['an edit executes although the preview of the call changed', 3],
  ['a grant of too few approvers is used', 7],
  ['a grant is used that the policy does not allow', 8],
  ['a grant decides a call whose tool changed since it was approved', 7],
  ['grants are not compared with the audit', 4],
  ['a grant approves the call that follows a request for changes', 2],
]);

describe('the property of the desk', () => {
  it('is tested with at least 30 planted bugs', () => {
    expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(30);
  });

  describePlantedBugs(PLANTED_BUGS, { seed: 20_261_115, early: EARLY_SEEDS });
});
