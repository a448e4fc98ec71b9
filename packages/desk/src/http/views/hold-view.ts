import { z } from '@hono/zod-openapi';
import type { AgentCall, CallInDoubt, JsonObject, JsonValue } from 'holdpoint';
import type { HoldRow } from '../../model/hold-row.ts';
import { HOLD_TRANSITIONS, type HoldOutcome, type HoldState } from '../../model/states.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { Secrets } from '../redaction/secrets.ts';
import { jsonObjectSchema, jsonSchema, timeSchema } from './json-schema.ts';

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
  /** What will happen, in the words of the tool's code. */
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
}

/** The states of holds, from the table of states. */
export const holdStateSchema: z.ZodType<HoldState> = z.enum(
  // The keys of the table are the states.
  Object.keys(HOLD_TRANSITIONS) as [HoldState, ...HoldState[]],
);

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
      .strictObject({ attempt: z.string(), reason: z.string(), since: timeSchema })
      .optional(),
    drifted: z.boolean().optional(),
    deniedBefore: z.boolean().optional(),
    state: holdStateSchema,
    outcome: z.enum(['decided', 'expired', 'superseded', 'cancelled']).optional(),
    createdAt: timeSchema,
    expiresAt: timeSchema.optional(),
    settledAt: timeSchema.optional(),
    redacted: z.boolean(),
  })
  .openapi('Hold');

/** A hold without what people are not to see. */
export function holdView(hold: HoldRow, redaction: Redaction, secrets: Secrets): HoldView {
  const { toolName, args, checkedArgs, metadata, preview, inDoubt } = hold;
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
    preview: preview === undefined ? undefined : shown(preview),
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
  };
}
