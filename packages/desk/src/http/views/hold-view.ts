import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from 'holdpoint';
import type { AgentCall, CallInDoubt } from 'holdpoint/deferral';
import { stepsOf } from '../../approvers/hold-timer.ts';
import { approverOf, authorityOf } from '../../approvers/delegated.ts';
import { countedVotes, isMember } from '../../approvers/eligibility.ts';
import { requirementsOf, summaryOf } from '../../approvers/requirements.ts';
import { GRANT_SCOPES, type HoldApprovers, type Requirement } from '../../model/approver-rule.ts';
import { editedArgs } from '../../model/decision-row.ts';
import type { AutomaticDecision, HoldRow } from '../../model/hold-row.ts';
import { toJson } from '../../model/json.ts';
import type { Person } from '../../model/person.ts';
import type { GrantRequest } from '../../model/grant-request.ts';
import { isOutcome } from '../../model/final-decision.ts';
import { HOLD_TRANSITIONS, type HoldOutcome, type HoldState } from '../../model/states.ts';
import type { Proposal } from '../../model/vote.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { grantRequestSchema } from './grant-view.ts';
import {
  isoTime,
  jsonObjectSchema,
  jsonSchema,
  optionalTime,
  personSchema,
  timeSchema,
} from './schemas.ts';
import { voteSchema, type VoteView } from './vote-view.ts';

/** A pending call, as approvers are shown it. */
export interface HoldView {
  readonly id: string;
  readonly runId: string;
  readonly conversationId: string;
  readonly agent: string;
  /** `approval`: the call executes once approved. `question`: it executes once a person responds. `external`: a person or a system supplies its result. */
  readonly kind: HoldRow['kind'];
  /** The question of a hold of the kind `question`. */
  readonly question?: QuestionView | undefined;
  readonly toolName: string;
  /** The name of the tool for people: its title, or its name in words. */
  readonly title: string;
  /** Hints of the tool's author, such as `readOnlyHint` and `destructiveHint`. */
  readonly annotations?: JsonObject | undefined;
  /** The calls to sub-agents that led to it, from the outermost down. */
  readonly path: readonly AgentCall[];
  /** The arguments as the model sent them. */
  readonly args: JsonValue;
  /** The validated arguments, if they differ. */
  readonly validatedArgs?: JsonValue | undefined;
  readonly metadata?: JsonObject | undefined;
  /** The tool's description of the effect, for the arguments as the model sent them. */
  readonly preview?: JsonValue | undefined;
  /** The digest that a decision must name. */
  readonly digest: string;
  /** Set if an earlier attempt to execute the call may have taken effect. */
  readonly inDoubt?: InDoubtView | undefined;
  readonly drifted?: boolean | undefined;
  readonly deniedBefore?: boolean | undefined;
  readonly state: HoldState;
  readonly outcome?: HoldOutcome | undefined;
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  readonly settledAt?: string | undefined;
  /** True if values of the call are redacted. */
  readonly redacted: boolean;
  /** A summary of the requirements. */
  readonly approvers?: ApproversView | undefined;
  /** The requirements that a decision must meet, each with the number of its votes. */
  readonly requirements?: readonly RequirementView[] | undefined;
  /** The steps of escalation, the earliest first. */
  readonly escalation?: readonly EscalationView[] | undefined;
  /** The time that the call may start after the decision, in milliseconds. */
  readonly decisionValidFor?: number | undefined;
  /** The votes of approvers; in lists only those that count. */
  readonly votes: readonly VoteView[];
  /** The edit that the digest names, if an approver proposed one. */
  readonly edit?: EditView | undefined;
  /** The outcome that an approver recorded, if other approvers must confirm it. */
  readonly proposed?: ProposedView | undefined;
  /** The later calls that the approval would also permit. Approvers vote on it, too. */
  readonly grant?: GrantRequest | undefined;
  /** The JSON Schema of the arguments; not in lists. */
  readonly schema?: JsonObject | undefined;
  /** The requester of the run. */
  readonly requester?: Person | undefined;
  /** The grant or the shadow mode that decided the hold without an approver. */
  readonly decidedBy?: AutomaticDecision | undefined;
  /** The rights of the caller. */
  readonly viewer: ViewerRights;
}

/** The question of a tool. */
export interface QuestionView {
  readonly message: string;
  /** The JSON Schema of the input; not in lists. */
  readonly schema?: JsonObject | undefined;
}

/** The attempt that may have taken effect. */
export interface InDoubtView extends Omit<CallInDoubt, 'since'> {
  /** The time of the attempt. */
  readonly since: string;
}

/** The approvers that a hold requires. */
export type ApproversView = Pick<
  HoldApprovers,
  'roles' | 'people' | 'count' | 'notRequester' | 'grants'
>;

/** A requirement of a hold, and the number of its votes. */
export interface RequirementView
  extends Pick<HoldApprovers, 'roles' | 'people' | 'count' | 'notRequester'> {
  /** The number of distinct approvers whose votes count for it. */
  readonly votes: number;
}

/** A step of escalation: from this time on, further approvers may decide. */
export interface EscalationView {
  readonly at: string;
  readonly roles?: readonly string[] | undefined;
  readonly people?: readonly string[] | undefined;
  /** True if these approvers may decide already. */
  readonly isReached: boolean;
}

/** Edited arguments for a call. */
export interface EditView {
  /** The arguments as their author typed them. */
  readonly args: JsonValue;
  /** The validated arguments, if the tool described the edit. */
  readonly validatedArgs?: JsonValue | undefined;
  /** The preview for these arguments. */
  readonly preview?: JsonValue | undefined;
  readonly by: Person;
  readonly at: string;
}

/** An outcome that an approver recorded for a call. */
export interface ProposedView {
  readonly decision: JsonObject;
  readonly by: Person;
  readonly at: string;
}

/** The rights of the caller on a hold. */
export interface ViewerRights {
  readonly mayDecide: boolean;
  /** True if the caller's approval of the call that the digest names would count. */
  readonly mayApprove?: boolean | undefined;
  /** The reason that the caller may not decide or approve. */
  readonly reason?: string | undefined;
  /** True if the caller approved the call that the digest names, or another person did on their behalf. */
  readonly hasVoted: boolean;
  /** With `onBehalfOf`: true if the caller may also decide with their own authority. */
  readonly asSelf?: boolean | undefined;
  /** The people on whose behalf the caller may decide; missing without any. */
  readonly onBehalfOf?: readonly Person[] | undefined;
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
  grants: z.enum(['never', ...GRANT_SCOPES]),
});

export const holdViewSchema: z.ZodType<HoldView> = z
  .strictObject({
    id: z.string(),
    runId: z.string(),
    conversationId: z.string(),
    agent: z.string(),
    kind: z.enum(['approval', 'question', 'external']),
    question: z
      .strictObject({ message: z.string(), schema: jsonObjectSchema.optional() })
      .optional(),
    toolName: z.string(),
    title: z.string(),
    annotations: jsonObjectSchema.optional(),
    path: z.array(z.strictObject({ toolName: z.string(), toolCallId: z.string() })),
    args: jsonSchema,
    validatedArgs: jsonSchema.optional(),
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
    escalation: z
      .array(
        z.strictObject({
          at: timeSchema,
          roles: z.array(z.string()).optional(),
          people: z.array(z.string()).optional(),
          isReached: z.boolean(),
        }),
      )
      .optional(),
    decisionValidFor: z.number().optional(),
    votes: z.array(voteSchema),
    edit: z
      .strictObject({
        args: jsonSchema,
        validatedArgs: jsonSchema.optional(),
        preview: jsonSchema.optional(),
        by: personSchema,
        at: timeSchema,
      })
      .optional(),
    proposed: z
      .strictObject({ decision: jsonObjectSchema, by: personSchema, at: timeSchema })
      .optional(),
    grant: grantRequestSchema.optional(),
    schema: jsonObjectSchema.optional(),
    requester: personSchema.optional(),
    decidedBy: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('grant'), grantId: z.string() }),
        z.strictObject({ kind: z.literal('shadow') }),
      ])
      .optional(),
    viewer: z.strictObject({
      mayDecide: z.boolean(),
      mayApprove: z.boolean().optional(),
      reason: z.string().optional(),
      hasVoted: z.boolean(),
      asSelf: z.boolean().optional(),
      onBehalfOf: z.array(personSchema).optional(),
    }),
  })
  .openapi('Hold');

/** Returns the facts about a hold that are the same for all callers, without the values that they must not see. */
export function holdFacts(
  hold: HoldRow,
  redaction: Redaction,
  secrets: Secrets,
): Omit<HoldView, 'viewer' | 'votes'> {
  const { toolName, args, validatedArgs, metadata, preview, inDoubt } = hold;
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
    question: hold.question && { message: secrets.takeOutOfText(hold.question.message) },
    toolName,
    title: hold.title ?? humanise(toolName),
    annotations: hold.annotations,
    path: hold.path,
    args: shownArgs(args),
    validatedArgs: validatedArgs === undefined ? undefined : shownArgs(validatedArgs),
    // Removing values from an object leaves an object.
    metadata: metadata && (shown(metadata) as JsonObject),
    preview:
      preview === undefined ? undefined : secrets.takeOutOf(redaction.previewOf(toolName, preview)),
    digest: hold.digest,
    inDoubt: inDoubt && {
      ...inDoubt,
      reason: secrets.takeOutOfText(inDoubt.reason),
      since: isoTime(inDoubt.since),
    },
    drifted: hold.drifted,
    deniedBefore: hold.deniedBefore,
    state: hold.state,
    outcome: hold.outcome,
    createdAt: isoTime(hold.createdAt),
    expiresAt: optionalTime(hold.expiresAt),
    settledAt: optionalTime(hold.settledAt),
    redacted: redaction.isAbout(toolName),
    approvers: approversView(summary),
    requirements: requirements.map((one) => requirementView(hold, one)),
    ...escalationView(hold),
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

/** Returns the question of a hold with its schema. */
export function questionView(hold: HoldRow, secrets: Secrets): QuestionView | undefined {
  if (hold.question === undefined) return undefined;
  const { message, schema } = hold.question;
  // Removing values from an object leaves an object.
  const shown = secrets.takeOutOf(schema) as JsonObject;
  return { message: secrets.takeOutOfText(message), schema: shown };
}

/** Returns a requirement for callers. */
export function approversView(requirement: Requirement): ApproversView {
  const { roles, people, count, notRequester, grants } = requirement;
  return { ...(roles && { roles }), ...(people && { people }), count, notRequester, grants };
}

function escalationView(hold: HoldRow): Pick<HoldView, 'escalation'> {
  const steps = stepsOf(hold);
  if (steps.length === 0) return {};
  const escalation = steps.map(({ afterMs, also: { roles, people }, isReached }) => ({
    at: isoTime(hold.createdAt + afterMs),
    ...(roles && { roles }),
    ...(people && { people }),
    isReached,
  }));
  return { escalation };
}

function requirementView(hold: HoldRow, requirement: Requirement): RequirementView {
  const { roles, people, count, notRequester } = requirement;
  const votes = countedVotes(hold, hold.votes ?? []).filter((vote) =>
    isMember(requirement, authorityOf(approverOf(vote))),
  );
  return { roles, people, count, notRequester, votes: votes.length };
}

/** Functions that remove the values that approvers must not see. */
interface Shown {
  readonly args: (args: JsonValue) => JsonValue;
  readonly preview: (value: JsonValue) => JsonValue;
  readonly said: (value: JsonValue) => JsonValue;
}

function proposalView(
  { proposal }: HoldRow,
  shown: Shown,
): Pick<HoldView, 'edit' | 'proposed' | 'grant'> {
  if (proposal === undefined) return {};
  const { decision, grant: grantRequest, by, at } = proposal;
  const edit = editedArgs(decision);
  // Removing values from a decision leaves an object.
  const said = decision && { ...(shown.said(toJson(decision)) as JsonObject), kind: decision.kind };
  return {
    ...(edit && { edit: editView(proposal, edit, shown) }),
    ...(said && isOutcome(decision) && { proposed: { decision: said, by, at: isoTime(at) } }),
    ...(grantRequest && { grant: grantRequestView(grantRequest, shown.args) }),
  };
}

function editView(proposal: Proposal, args: JsonObject, shown: Shown): EditView {
  const { author, by, at } = proposal;
  const { args: checked, preview } = proposal.shown ?? {};
  return {
    args: shown.args(args),
    ...(checked !== undefined && { validatedArgs: shown.args(checked) }),
    ...(preview !== undefined && { preview: shown.preview(preview) }),
    by: author ?? by,
    at: isoTime(at),
  };
}

function grantRequestView(
  grantRequest: GrantRequest,
  shownArgs: (args: JsonValue) => JsonValue,
): GrantRequest {
  const { match } = grantRequest;
  if (typeof match === 'string') return grantRequest;
  // Removing values from an object leaves an object.
  return { ...grantRequest, match: { args: shownArgs(match.args) as JsonObject } };
}

/** Returns the name of a tool in words: `send_refund` and `sendRefund` become `Send refund`. */
export function humanise(toolName: string): string {
  const words = toolName
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replaceAll(/[_\-./\s]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? toolName : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
