import { describe, expect, it } from 'vitest';
import { describePlantedBugs } from './support/describe-planted-bugs.ts';
import { PLANTED_BUGS } from './support/planted-bugs.ts';

const EARLY_SEEDS: ReadonlyMap<string, number> = new Map([
  ['one requirement that is met is enough', 12],
  ['an unknown requester does not matter', 11],
  ['separation of duties needs to be demanded by every requirement', 1],
  ['the author of an edit may approve it', 1],
  ['requesters of earlier runs of a conversation are forgotten', 8],
  ['a request for changes executes the edit that was proposed', 12],
  ['a request for changes is one of several votes', 9],
  ['a grant approves the call that follows a request for changes', 9],
  ['the requirement that was stored when the call was deferred is no floor', 2],
  ['requirements of later versions of the policy are ignored', 11],
  ['requirements of an edit are ignored', 7],
  ['the policy is not evaluated when a decision is recorded', 9],
  ['the policy is not evaluated for an edit', 1],
  ['the policy receives the arguments of an edit as they were typed', 6],
  ['`mayDecide` is not called', 3],
  ['`mayDecide` is not called for the edited call', 2],
  ['rules allow grants by default', 9],
  ['the description that an author confirms is not compared', 5],
  ['the votes are not counted again before the call executes', 3],
  ['a changed preview is no drift', 12],
  ['a changed version is no drift', 6],
  ['a changed schema is no drift', 8],
  ['an edit is not compared with what was shown for it', 3],
  ['the preview of an edit is not compared', 9],
  ['the description of an edit is lost on the way to the gate', 8],
  ['an edit executes although the preview of the call changed', 9],
  ['the digest of a call does not cover its preview', 11],
  ['an expired grant is used', 9],
  ['a grant is used for another tool', 14],
  ['a grant of too few approvers is used', 7],
  ['a grant is used that the policy does not allow', 9],
  ['a grant decides a call whose tool changed since it was approved', 4],
  ['holds are not compared with the audit', 9],
  ['a decision records a hold that was changed in the database', 13],
  ['grants are not compared with the audit', 4],
]);

describe('the property of the desk', () => {
  it('is tested with at least 30 planted bugs', () => {
    expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(30);
  });

  describePlantedBugs(PLANTED_BUGS, { seed: 20_261_115, early: EARLY_SEEDS });
});
