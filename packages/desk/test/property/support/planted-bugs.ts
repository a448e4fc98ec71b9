import { bug, type PlantedBug } from './planted-bug.ts';

const ELIGIBILITY = 'desk/src/approvers/eligibility.ts';
const REQUIREMENTS = 'desk/src/approvers/requirements.ts';
const POLICY = 'desk/src/approvers/policy.ts';
const TAKE_VOTE = 'desk/src/approvers/take-vote.ts';
const IS_APPROVED = 'desk/src/approvers/is-approved.ts';
const GRANT_FITS = 'desk/src/approvers/grant-fits.ts';
const DECIDE_HOLD = 'desk/src/transitions/decide-hold.ts';
const DECIDE_BY_GRANT = 'desk/src/transitions/decide-by-grant.ts';
const VERIFY_ROWS = 'desk/src/transitions/verify-rows.ts';
const LIVE_GRANTS = 'desk/src/store/sql/grants.ts';
const DRIFT = 'core/src/gate/approval-holds.ts';
const GATE = 'core/src/gate/gate.ts';
const DIGEST = 'core/src/ledger/digest.ts';

/** The store selects live grants, and the desk checks them again. */
const STORE_ANY_GRANT = [
  LIVE_GRANTS,
  '        .where(isLive(now))\n        .orderBy',
  '        .orderBy',
] as const;

/** After the gate, the desk also compares a call with the facts that its approvers were shown. */
const ANY_CALL = [IS_APPROVED, 'return isAsShown(hold, final);', 'return true;'] as const;

/** The desk verifies the grant of a call once more before it executes. */
const ANY_GRANT = [
  IS_APPROVED,
  'if (!(await isGrantValid(hold, required, facts))) return false;',
  '',
] as const;

/** Bugs in the policy, the digest, the drift detection, the grants and the comparison of rows. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  // Eligibility.
  bug('votes', 'approvers are not compared with the requirement', [
    ELIGIBILITY,
    'if (!isNamed) return',
    'if (isNamed === undefined) return',
  ]),
  bug('votes', 'every approver is a member of every requirement', [
    ELIGIBILITY,
    'if (roles === undefined && people === undefined) return true;',
    'return true;',
  ]),
  bug('votes', 'people in a requirement are ignored', [
    ELIGIBILITY,
    'return hasRole || names({ people }, approver);',
    'return hasRole || people !== undefined;',
  ]),
  bug('votes', 'one vote is enough for every count', [
    ELIGIBILITY,
    '.size >= requirement.count',
    '.size >= 1',
  ]),
  bug('votes', 'one requirement that is met is enough', [
    ELIGIBILITY,
    'return requirementsOf(hold).every((requirement) => {',
    'return requirementsOf(hold).some((requirement) => {',
  ]),
  bug('votes', 'another spelling of an id is another person', [
    'desk/src/approvers/same-person.ts',
    "return id.normalize('NFKC').toLowerCase().normalize('NFKC');",
    'return id;',
  ]),
  bug('votes', 'a requester may decide', [
    ELIGIBILITY,
    'return isRequester ?',
    'return isRequester && false ?',
  ]),
  bug('votes', 'an unknown requester does not matter', [
    ELIGIBILITY,
    'if (requesters.some((one) => one === null)) {',
    'if (requesters.length === 0) {',
  ]),
  bug('edits', 'separation of duties needs to be demanded by every requirement', [
    REQUIREMENTS,
    'return requirements.some(({ notRequester }) => notRequester);',
    'return requirements.every(({ notRequester }) => notRequester);',
  ]),
  bug('edits', 'the author of an edit may approve it', [
    ELIGIBILITY,
    'return isAuthor && needsSeparation',
    'return !isAuthor && needsSeparation',
  ]),
  bug('votes', 'people who sent a message later are no requesters', [
    'desk/src/transitions/conversation-requesters.ts',
    'return others.length === 0 ? {} : { otherRequesters: others };',
    'return {};',
  ]),
  bug('votes', 'requesters of earlier runs of a conversation are forgotten', [
    'desk/src/transitions/conversation-requesters.ts',
    'const requesters = [...row.requesters, requester];',
    'const requesters = [requester];',
  ]),

  // Requests for changes.
  bug(
    'edits',
    'a request for changes executes the edit that was proposed',
    [
      'desk/src/model/final-decision.ts',
      'if (last === undefined || closesHold(hold, last)) return last;',
      "if (last === undefined || last.kind === 'deny') return last;",
    ],
    [IS_APPROVED, 'if (!isMet(required, votes)) return false;', ''],
  ),
  bug('votes', 'a request for changes is one of several votes', [
    'desk/src/model/decision-row.ts',
    "return kind === 'deny' || (kind === 'retry' && holdKind === 'approval');",
    "return kind === 'deny' || (kind === 'retry' && holdKind === 'question');",
  ]),
  bug('grants', 'a grant approves the call that follows a request for changes', [
    DECIDE_BY_GRANT,
    'if ((await changesRequestedBefore(tx, hold)).length > 0) return false;',
    '',
  ]),

  // Requirements.
  bug('drift', 'the requirement that was stored when the call was deferred is no floor', [
    REQUIREMENTS,
    'return distinct([approvers, ...requirements, ...(proposal?.requirements ?? [])]);',
    'const later = [...requirements, ...(proposal?.requirements ?? [])];\n  return later.length > 0 ? later : [approvers];',
  ]),
  bug('drift', 'requirements of later versions of the policy are ignored', [
    REQUIREMENTS,
    'return distinct([approvers, ...requirements, ...(proposal?.requirements ?? [])]);',
    'return distinct([approvers, ...(proposal?.requirements ?? [])]);',
  ]),
  bug('edits', 'requirements of an edit are ignored', [
    REQUIREMENTS,
    'return distinct([approvers, ...requirements, ...(proposal?.requirements ?? [])]);',
    'return distinct([approvers, ...requirements]);',
  ]),
  bug('drift', 'the policy is not evaluated when a decision is recorded', [
    POLICY,
    'return requirement === undefined ? hold : withRequirement(hold, requirement);',
    'return hold;',
  ]),
  bug('edits', 'the policy is not evaluated for an edit', [
    DECIDE_HOLD,
    'return { ...vote, requirement };',
    'return requirement === undefined ? vote : { ...vote };',
  ]),
  bug('edits', 'the policy receives the arguments as they were sent', [
    'desk/src/approvers/effective-call.ts',
    'args: approvedArgs(hold),',
    'args: hold.args,',
  ]),
  bug('edits', 'the policy receives the arguments of the call in place of those of its edit', [
    'desk/src/model/final-decision.ts',
    'if (edit !== undefined) return proposal?.shown?.args ?? edit;',
    '',
  ]),
  bug('edits', 'the policy receives the arguments of an edit as they were typed', [
    'desk/src/model/final-decision.ts',
    'return proposal?.shown?.args ?? edit;',
    'return edit;',
  ]),
  bug('edits', '`mayDecide` is not called', [
    POLICY,
    'if (why !== undefined || policy.mayDecide.length === 0) return why;',
    'if (policy.mayDecide.length > 0) return why;',
  ]),
  bug('edits', '`mayDecide` is not called for the edited call', [
    DECIDE_HOLD,
    '? await whyNotDecide(policy, editedHold(hold, vote), vote, () => run)',
    '? undefined',
  ]),
  bug('edits', 'rules allow grants by default', [
    'desk/src/model/approver-rule.ts',
    "grants: 'never',\n});",
    "grants: 'tenant',\n});",
  ]),
  bug('crashes', 'decisions never expire', [
    REQUIREMENTS,
    'return limits.length === 0 ? undefined : Math.min(...limits);',
    'return limits.length > 0 ? undefined : limits[0];',
  ]),

  // Votes and proposals.
  bug('edits', 'votes for the call count for its edit', [
    TAKE_VOTE,
    'return counted(proposed, isInformed ? [vote] : []);',
    'return counted(proposed, [...(hold.votes ?? []), ...(isInformed ? [vote] : [])]);',
  ]),
  bug('edits', 'an edit that its author was not shown is a vote', [
    TAKE_VOTE,
    'return counted(proposed, isInformed ? [vote] : []);',
    'return counted(proposed, [vote]);',
  ]),
  bug('edits', 'a proposal keeps the digest of the call', [
    TAKE_VOTE,
    'return { ...hold, revision, callDigest, digest, votes: [] };',
    'return { ...hold, revision, callDigest, digest: digest && hold.digest, votes: [] };',
  ]),
  bug('edits', 'the digest of a proposal does not cover what is proposed', [
    TAKE_VOTE,
    "const digest = hashOf('holdpoint/proposal/2', callDigest, revision, about);",
    "const digest = hashOf('holdpoint/proposal/2', callDigest, about === undefined ? revision : 1);",
  ]),
  bug('edits', 'a decision may name another digest', [
    DECIDE_HOLD,
    'if (stored.digest !== given.digest) throw staleDigest(stored);',
    "if (given.digest === '') throw staleDigest(stored);",
  ]),
  bug('crashes', 'a decision is accepted after the hold has expired', [
    DECIDE_HOLD,
    'if (stored.expiresAt !== undefined && stored.expiresAt <= change.now) throw tooLate(stored);',
    'if (stored.expiresAt === 0) throw tooLate(stored);',
  ]),
  bug('edits', 'the description that an author confirms is not compared', [
    'desk/src/desk/record-decision.ts',
    'if (shown !== undefined && shown !== edit.shown) throw staleEdit(holdId);',
    "if (shown === '') throw staleEdit(holdId);",
  ]),
  bug('crashes', 'a hold whose decision expired is opened again with its votes', [
    'desk/src/transitions/reopen-holds.ts',
    '...withDigest({ ...hold, proposal: withoutGrantRequest(hold.proposal) }),',
    '...hold,\n    digest: withDigest(hold).digest === hold.digest ? hold.digest : hold.digest,\n    proposal: withoutGrantRequest(hold.proposal),',
  ]),

  // The last check before the call executes.
  bug('drift', 'the votes are not counted again before the call executes', [
    'desk/src/desk/run-execution.ts',
    'return hold !== undefined && isApproved(policy, hold, call, facts);',
    'return hold !== undefined && isApproved(policy, hold, call, facts).then(() => true);',
  ]),
  bug('edits', 'an edit that no tool described executes with what the tool adds', ANY_CALL),
  bug(
    'drift',
    'an approved call executes with what the schema returns now',
    [
      GATE,
      'return args === undefined ? undefined : { ok: true, value: args };',
      'return undefined;',
    ],
    [
      DRIFT,
      '!isSameOrAbsent(recordedArgs(now, sentArgs), recordedArgs(request, sentArgs)) ||',
      '(recordedArgs(now, sentArgs) === undefined && recordedArgs(request, sentArgs) !== undefined) ||',
    ],
    ANY_CALL,
  ),
  bug(
    'drift',
    'a changed preview is no drift',
    [DRIFT, ' ||\n    !isSameOrAbsent(now.preview, request.preview)', ''],
    ANY_CALL,
  ),
  bug('drift', 'a changed version is no drift', [DRIFT, 'now.version !== request.version || ', '']),
  bug('drift', 'a changed schema is no drift', [
    DRIFT,
    'if (recorded !== undefined && recorded !== (await schemaHash(tool.definition))) return false;',
    '',
  ]),
  bug(
    'drift',
    'an edit is not compared with what was shown for it',
    [
      DRIFT,
      'return !isShown || !isSameOrAbsent(preview, shown.preview);',
      'return isShown && shown.args === undefined;',
    ],
    ANY_CALL,
  ),
  bug(
    'drift',
    'the preview of an edit is not compared',
    [DRIFT, 'return !isShown || !isSameOrAbsent(preview, shown.preview);', 'return !isShown;'],
    ANY_CALL,
  ),
  bug(
    'edits',
    'the description of an edit is lost on the way to the gate',
    [
      'core/src/deferred/capture-results.ts',
      'shown: shown && captureObject(shown),',
      'shown: shown && undefined,',
    ],
    ANY_CALL,
  ),
  bug(
    'edits',
    'an edit may fill in values that its approver neither typed nor saw',
    [DRIFT, 'if (!isPlainObject(value)) return false;', 'if (!isPlainObject(value)) return true;'],
    ANY_CALL,
  ),
  bug(
    'drift',
    'an edit executes although the preview of the call changed',
    [DRIFT, 'return requestedPreviewDiffers(candidate, request, requestedArgs);', 'return false;'],
    ANY_CALL,
  ),

  // Digests.
  bug(
    'drift',
    'the digest of a call does not cover its preview',
    [DIGEST, 'preview: call.preview ?? null,', 'preview: null,'],
    // The number of earlier requests distinguishes the digests of most requests whose preview changed.
    [DIGEST, '...(requestedBefore !== undefined && { requestedBefore }),', ''],
  ),

  // Grants.
  bug(
    'grants',
    'a revoked grant is used',
    [
      GRANT_FITS,
      'if (revokedAt !== undefined) return false;',
      'if (revokedAt === 0) return false;',
    ],
    [VERIFY_ROWS, 'return !isRevoked && ', 'return '],
    STORE_ANY_GRANT,
    ANY_GRANT,
  ),
  bug(
    'grants',
    'an expired grant is used',
    [
      GRANT_FITS,
      '(expiresAt === undefined || expiresAt > now) && ',
      '(expiresAt !== now || now > 0) && ',
    ],
    STORE_ANY_GRANT,
  ),
  bug('grants', 'a grant is used more often than it allows', [
    DECIDE_BY_GRANT,
    'const used = grant.used + 1;',
    'const used = grant.used;',
  ]),
  bug(
    'grants',
    'a grant is used for another tool',
    [GRANT_FITS, 'grant.toolHash === hold.toolHash &&', ''],
    [LIVE_GRANTS, "        .where('tool_hash', '=', call.toolHash)\n", ''],
  ),
  bug(
    'grants',
    'a grant is used outside of its scope',
    [GRANT_FITS, 'isInScope(grant, hold) &&', ''],
    [LIVE_GRANTS, '        .where(isInScope(call))\n', ''],
  ),
  bug('grants', 'a grant for a requester is used in a conversation with others', [
    GRANT_FITS,
    'return requestersOf(hold).every((one) => one !== null && isSamePerson(requester, one));',
    'return requestersOf(hold).some((one) => one !== null && isSamePerson(requester, one));',
  ]),
  bug('grants', 'a grant is used for other arguments', [
    GRANT_FITS,
    'fitsArgs(grant.match, approvedArgs(hold)) &&',
    '',
  ]),
  bug('grants', 'a grant for some members is used for arguments without them', [
    GRANT_FITS,
    'Object.hasOwn(value, name) && contains(value[name] as JsonValue, one)',
    'Object.hasOwn(value, name) || contains(value, one)',
  ]),
  bug('grants', 'a grant of too few approvers is used', [GRANT_FITS, ' && isMet(hold, by);', ';']),
  bug(
    'grants',
    'a grant is used that the policy does not allow',
    [
      GRANT_FITS,
      'return areAble && isWithin(scope, widestGrant(requirementsOf(hold))) && isMet(hold, by);',
      'return areAble && scope !== undefined && isMet(hold, by);',
    ],
    ANY_GRANT,
  ),
  bug('grants', '`mayDecide` is not called for the approvers of a grant', [
    DECIDE_BY_GRANT,
    'if (!(await letsDecide(policy, change, hold, { ...found, by }))) continue;',
    'await letsDecide(policy, change, hold, { ...found, by });',
  ]),
  bug('grants', 'a grant decides a call whose tool changed since it was approved', [
    GRANT_FITS,
    "return kind === 'approval' && !inDoubt && !drifted && !deniedBefore && toolHash !== undefined;",
    "return kind === 'approval' && !inDoubt && !deniedBefore && toolHash !== undefined;",
  ]),
  bug('grants', 'an approver may create a grant in a wider scope than the policy allows', [
    GRANT_FITS,
    'if (!isWithin(scope, widest)) {',
    'if (scope === undefined) {',
  ]),

  // Rows that were changed in the database.
  bug('forgeries', 'holds are not compared with the audit', [
    VERIFY_ROWS,
    'if (!(await isAsRecorded(tx, hold, about))) {',
    'if ((await isAsRecorded(tx, hold, about)) === undefined) {',
  ]),
  bug('forgeries', 'a decision records a hold that was changed in the database', [
    DECIDE_HOLD,
    'if (tampered !== undefined) throw tampered;',
    '',
  ]),
  bug('grants', 'grants are not compared with the audit', [
    DECIDE_BY_GRANT,
    'if (!(await isGrantAsRecorded(tx, grant))) {',
    'if ((await isGrantAsRecorded(tx, grant)) === undefined) {',
  ]),
];
