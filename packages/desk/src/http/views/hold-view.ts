import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';
import type { AgentCall, CallInDoubt } from 'holdpoint/deferral';
import { countedVotes, isMember } from '../../approvers/may-answer.ts';
import { requirementsOf, summaryOf } from '../../approvers/requirements.ts';
import { GRANT_SCOPES, type HoldApprovers, type Requirement } from '../../model/approver-rule.ts';
import type { HoldDecision, HoldRow } from '../../model/hold-row.ts';
import { toJson } from '../../model/json.ts';
import type { Person } from '../../model/person.ts';
import type { Remember } from '../../model/remember.ts';
import { isOutcome } from '../../model/settled-answer.ts';
import { HOLD_TRANSITIONS, type HoldOutcome, type HoldState } from '../../model/states.ts';
import type { Proposal } from '../../model/vote.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { jsonObjectSchema, jsonSchema, timeSchema } from './json-schema.ts';
import { personSchema } from './person-view.ts';
import { rememberViewSchema } from './remember-view.ts';
import { voteSchema, type VoteView } from './vote-view.ts';

/** A call that waits, as people are shown it. */
export interface HoldView {
  readonly id: string;
  readonly runId: string;
  readonly conversationId: string;
  readonly agent: string;
  /** Whether the call may run once approved, or its result comes from elsewhere. */
  readonly kind: HoldRow['kind'];
  readonly toolName: string;
  /** The calls to agents that led to it, from the outermost down. */
  readonly path: readonly AgentCall[];
  /** The arguments as they were sent. */
  readonly args: JsonValue;
  /** The arguments as the tool will get them, where that is something else. */
  readonly checkedArgs?: JsonValue | undefined;
  readonly metadata?: JsonObject | undefined;
  /** What will happen, in the words of the tool's code: with the arguments as they were sent, not as somebody has edited them. */
  readonly preview?: JsonValue | undefined;
  /** What an answer must name. */
  readonly digest: string;
  readonly inDoubt?: CallInDoubt | undefined;
  readonly drifted?: boolean | undefined;
  readonly deniedBefore?: boolean | undefined;
  readonly state: HoldState;
  readonly outcome?: HoldOutcome | undefined;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly settledAt?: number | undefined;
  /** Whether something of the call is not shown. */
  readonly redacted: boolean;
  /** Who may decide, and how many must approve. */
  readonly approvers?: ApproversView | undefined;
  /** Everything that a decision must meet, each with the votes that count for it; `approvers` sums it up. */
  readonly requirements?: readonly RequirementView[] | undefined;
  /** How long after the decision the call may start, in milliseconds. */
  readonly decisionValidFor?: number | undefined;
  /** What people have said; in lists only what counts now. */
  readonly votes: readonly VoteView[];
  /** The arguments that the digest is about, if somebody has put them in place of those of the call. */
  readonly edit?: EditView | undefined;
  /** What somebody has said came of the call, if others have to agree. */
  readonly proposed?: ProposedView | undefined;
  /** How the approval is to be remembered: that is part of what is voted on. */
  readonly remember?: Remember | undefined;
  /** The JSON Schema of the arguments; not in lists. */
  readonly schema?: JsonObject | undefined;
  /** Who has asked for the run. */
  readonly requester?: Person | undefined;
  /** What has decided it, if nobody was asked. */
  readonly decidedBy?: HoldDecision | undefined;
  /** What whoever asks may do with it. */
  readonly mine: MineView;
}

/** Who may answer a hold. */
export type ApproversView = Pick<
  HoldApprovers,
  'roles' | 'people' | 'count' | 'notRequester' | 'remember'
>;

/** A requirement of a hold, and how far it is met. */
export interface RequirementView
  extends Pick<HoldApprovers, 'roles' | 'people' | 'count' | 'notRequester'> {
  /** The number of distinct approvers whose votes count for it. */
  readonly votes: number;
}

/** Other arguments for a call. */
export interface EditView {
  /** The arguments as their author typed them. */
  readonly args: JsonValue;
  /** The validated arguments, if the tool described the edit. */
  readonly checkedArgs?: JsonValue | undefined;
  /** The preview for these arguments. */
  readonly preview?: JsonValue | undefined;
  readonly by: Person;
  readonly at: number;
}

/** What somebody has said came of a call. */
export interface ProposedView {
  readonly answer: JsonObject;
  readonly by: Person;
  readonly at: number;
}

/** What whoever asks may do with a hold. */
export interface MineView {
  readonly mayAnswer: boolean;
  /** Whether their approval of what the digest names would count. */
  readonly mayApprove?: boolean | undefined;
  /** Why they may not decide, or not approve. */
  readonly why?: string | undefined;
  /** Whether they have agreed to what the digest names. */
  readonly hasVoted: boolean;
}

/** The states of holds, from the table of states. */
export const holdStateSchema: z.ZodType<HoldState> = z.enum(
  // The keys of the table are the states.
  Object.keys(HOLD_TRANSITIONS) as [HoldState, ...HoldState[]],
);

export const approversSchema: z.ZodType<ApproversView> = z.strictObject({
  roles: z.array(z.string()).optional(),
  people: z.array(z.string()).optional(),
  count: z.number(),
  notRequester: z.boolean(),
  remember: z.enum(['never', ...GRANT_SCOPES]),
});

export const holdViewSchema: z.ZodType<HoldView> = z
  .strictObject({
    id: z.string(),
    runId: z.string(),
    conversationId: z.string(),
    agent: z.string(),
    kind: z.enum(['approval', 'external']),
    toolName: z.string(),
    path: z.array(z.strictObject({ toolName: z.string(), toolCallId: z.string() })),
    args: jsonSchema,
    checkedArgs: jsonSchema.optional(),
    metadata: jsonObjectSchema.optional(),
    preview: jsonSchema.optional(),
    digest: z.string(),
    inDoubt: z
      .strictObject({
        attempt: z.string(),
        reason: z.string(),
        since: timeSchema,
        idempotencyKey: z.string().optional(),
      })
      .optional(),
    drifted: z.boolean().optional(),
    deniedBefore: z.boolean().optional(),
    state: holdStateSchema,
    outcome: z.enum(['decided', 'expired', 'superseded', 'cancelled']).optional(),
    createdAt: timeSchema,
    expiresAt: timeSchema.optional(),
    settledAt: timeSchema.optional(),
    redacted: z.boolean(),
    approvers: approversSchema.optional(),
    requirements: z
      .array(
        z.strictObject({
          roles: z.array(z.string()).optional(),
          people: z.array(z.string()).optional(),
          count: z.number(),
          notRequester: z.boolean(),
          votes: z.number(),
        }),
      )
      .optional(),
    decisionValidFor: z.number().optional(),
    votes: z.array(voteSchema),
    edit: z
      .strictObject({
        args: jsonSchema,
        checkedArgs: jsonSchema.optional(),
        preview: jsonSchema.optional(),
        by: personSchema,
        at: timeSchema,
      })
      .optional(),
    proposed: z
      .strictObject({ answer: jsonObjectSchema, by: personSchema, at: timeSchema })
      .optional(),
    remember: rememberViewSchema.optional(),
    schema: jsonObjectSchema.optional(),
    requester: personSchema.optional(),
    decidedBy: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('grant'), grantId: z.string() }),
        z.strictObject({ kind: z.literal('shadow') }),
      ])
      .optional(),
    mine: z.strictObject({
      mayAnswer: z.boolean(),
      mayApprove: z.boolean().optional(),
      why: z.string().optional(),
      hasVoted: z.boolean(),
    }),
  })
  .openapi('Hold');

/** A hold without what people are not to see, whoever they are. */
export function holdFacts(
  hold: HoldRow,
  redaction: Redaction,
  secrets: Secrets,
): Omit<HoldView, 'mine' | 'votes'> {
  const { toolName, args, checkedArgs, metadata, preview, inDoubt } = hold;
  const requirements = requirementsOf(hold);
  const summary = summaryOf(requirements);
  const shown = (value: JsonValue) => secrets.takeOutOf(redaction.shownBy(toolName, value));
  const shownArgs = (some: JsonValue) =>
    secrets.takeOutOf(redaction.argsOf({ toolName, args: some }));
  return {
    id: hold.id,
    runId: hold.runId,
    conversationId: hold.conversationId,
    agent: hold.agent,
    kind: hold.kind,
    toolName,
    path: hold.path,
    args: shownArgs(args),
    checkedArgs: checkedArgs === undefined ? undefined : shownArgs(checkedArgs),
    // An object without some members is one.
    metadata: metadata && (shown(metadata) as JsonObject),
    preview:
      preview === undefined ? undefined : secrets.takeOutOf(redaction.previewOf(toolName, preview)),
    digest: hold.digest,
    inDoubt: inDoubt && { ...inDoubt, reason: secrets.takeOutOfText(inDoubt.reason) },
    drifted: hold.drifted,
    deniedBefore: hold.deniedBefore,
    state: hold.state,
    outcome: hold.outcome,
    createdAt: hold.createdAt,
    expiresAt: hold.expiresAt,
    settledAt: hold.settledAt,
    redacted: redaction.isAbout(toolName),
    approvers: approversView(summary),
    requirements: requirements.map((one) => requirementView(hold, one)),
    decisionValidFor: summary.decisionValidFor,
    ...proposalView(hold, {
      args: shownArgs,
      preview: (value) => secrets.takeOutOf(redaction.previewOf(toolName, value)),
      said: (value) => secrets.takeOutOf(value),
    }),
    requester: hold.requester,
    decidedBy: hold.decidedBy,
  };
}

/** A requirement, as people are shown it. */
export function approversView({
  decisionValidFor: _validFor,
  ...shown
}: Requirement): ApproversView {
  return shown;
}

function requirementView(hold: HoldRow, requirement: Requirement): RequirementView {
  const { roles, people, count, notRequester } = requirement;
  const votes = countedVotes(hold, hold.votes ?? []).filter((vote) => isMember(requirement, vote));
  return { roles, people, count, notRequester, votes: votes.length };
}

/** Functions that leave out what people are not to see: of arguments, of previews, and of decisions. */
interface Shown {
  readonly args: (args: JsonValue) => JsonValue;
  readonly preview: (value: JsonValue) => JsonValue;
  readonly said: (value: JsonValue) => JsonValue;
}

function proposalView(
  { proposal }: HoldRow,
  shown: Shown,
): Pick<HoldView, 'edit' | 'proposed' | 'remember'> {
  if (proposal === undefined) return {};
  const { answer, remember, by, at } = proposal;
  // Answers are JSON objects, and stay such.
  const said = answer && { ...(shown.said(toJson(answer)) as JsonObject), kind: answer.kind };
  return {
    ...(answer?.kind === 'edit' && { edit: editView(proposal, answer.args, shown) }),
    ...(said && isOutcome(answer) && { proposed: { answer: said, by, at } }),
    ...(remember && { remember: rememberView(remember, shown.args) }),
  };
}

function editView(proposal: Proposal, args: JsonObject, shown: Shown): EditView {
  const { author, by, at } = proposal;
  const { args: checked, preview } = proposal.shown ?? {};
  return {
    args: shown.args(args),
    ...(checked !== undefined && { checkedArgs: shown.args(checked) }),
    ...(preview !== undefined && { preview: shown.preview(preview) }),
    by: author ?? by,
    at,
  };
}

function rememberView(remember: Remember, shownArgs: (args: JsonValue) => JsonValue): Remember {
  const { match } = remember;
  if (typeof match === 'string') return remember;
  // An object without some members is one.
  return { ...remember, match: { args: shownArgs(match.args) as JsonObject } };
}
