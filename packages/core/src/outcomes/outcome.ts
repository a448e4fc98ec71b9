import { showValue } from '../errors/show-value.ts';
import { isThrown, messageOf } from '../errors/thrown.ts';
import { UserError } from '../errors/user-errors.ts';
import { listOf, stringFormat, userPromptFormat, JsonPath } from '../messages/codec/index.ts';
import type { UserPrompt } from '../messages/content.ts';
import { type JsonObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import type {
  ToolAvailabilityDeltaPart,
  ToolOutcome,
  ToolResultPart,
  UserPromptPart,
  ValidationIssue,
} from '../messages/request-part.ts';
import { kindOfResult } from '../messages/tool-kind.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { CallDetails, CallInDoubt, Question } from '../messages/call-details.ts';
import type { Message, SpentUsage } from '../messages/message.ts';
import type { OnInDoubt } from '../models/tool-definition.ts';
import {
  ApprovalRequired,
  CallDeferred,
  InputRequired,
  isSignal,
  ModelRetry,
  ToolFailed,
  ToolReturn,
  toSignal,
} from '../tools/signals.ts';
import { SubRunParked } from '../deferred/sub-agent-run.ts';
import { idempotencyKeyOf, type LedgerInDoubt } from '../ledger/ledger.ts';

/** The outcome of a tool call, as data. Signals that a tool throws are converted to outcomes. */
export type Outcome = (
  | ValueOutcome
  | RetryOutcome
  | FailedOutcome
  | DeferredOutcome
  | DecidedOutcome
  | ParkedOutcome
  | ErrorOutcome
) & {
  /** The usage of the tool itself, such as that of a sub-agent. */
  readonly spent?: SpentUsage | undefined;
  /** The arguments that the call executed with, if an approver edited those that the model sent. */
  readonly executedArgs?: JsonObject | undefined;
};

/** The tool returned a value. */
export interface ValueOutcome {
  readonly kind: 'value';
  readonly value: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** The model has to try again. */
export interface RetryOutcome {
  readonly kind: 'retry';
  readonly content: string | readonly ValidationIssue[];
  /** True if it does not count as one of the tool's retries. */
  readonly isFree?: boolean | undefined;
  /** The thrown value: the cause of the error that ends the run if no retry is left. */
  readonly cause?: unknown;
}

/** The tool reported a failure. */
export interface FailedOutcome {
  readonly kind: 'failed';
  readonly message: string;
}

/** The call needs an approval or an external result. */
export interface DeferredOutcome {
  readonly kind: 'deferred';
  /** `approval`: the call executes once it is approved. `external`: its result is produced outside the run. */
  readonly deferralKind: 'approval' | 'external';
  /** Metadata for the approver. */
  readonly metadata?: JsonObject | undefined;
  /** Set if an earlier attempt is in doubt. */
  readonly inDoubt?: CallInDoubt | undefined;
  /** The question of the tool, if the call needs an input in place of an approval. */
  readonly question?: Question | undefined;
  /** Data of the tool for the execution with the input. */
  readonly questionState?: JsonObject | undefined;
  /** The approval request, if the gate has described the call. */
  readonly details?: CallDetails | undefined;
}

/** The call did not execute: a decision or an external result resolved it. */
export interface DecidedOutcome {
  readonly kind: 'decided';
  readonly result: CallResult;
}

/** An outcome that does not change any more. */
export type FinalOutcome = (ValueOutcome | RetryOutcome | FailedOutcome | DecidedOutcome) &
  Pick<Outcome, 'spent' | 'executedArgs'>;

/** The tool is a sub-agent whose run is parked. The call resumes with that run. */
export interface ParkedOutcome {
  readonly kind: 'parked';
  /** The messages of that run. */
  readonly messages: readonly Message[];
}

/** The tool threw an error, which ends the run. */
export interface ErrorOutcome {
  readonly kind: 'error';
  readonly error: unknown;
}

const namesFormat = listOf(stringFormat);

/** Returns the outcome of a value that a tool returned. */
export function outcomeOfValue(returned: unknown, toolName: string): ValueOutcome {
  if (!(returned instanceof ToolReturn)) {
    const isScalar = typeof returned !== 'object' && typeof returned !== 'function';
    if (!isScalar && isSignal(returned)) {
      throw new UserError(
        `Tool \`${toolName}\` returned ${showValue(returned)}, which has an effect only if it is thrown. ` +
          'Use `throw` in place of `return`.',
      );
    }
    return { kind: 'value', value: toFrozenJson(returned, 'result', toolName) };
  }
  const { returnValue, content, metadata, tools } = returned;
  return {
    kind: 'value',
    value: toFrozenJson(returnValue, 'returnValue', toolName),
    content: content && userPromptFormat.read(content, JsonPath.of(toolName, 'content')),
    metadata: metadata === undefined ? undefined : toFrozenJson(metadata, 'metadata', toolName),
    tools: tools && [...new Set(namesFormat.read(tools, JsonPath.of(toolName, 'tools')))],
  };
}

/** Returns the outcome of a value that a tool or its validator threw. */
export function outcomeOfThrown(raw: unknown): Exclude<Outcome, ValueOutcome | DecidedOutcome> {
  const thrown = toSignal(raw);
  if (isThrown(thrown, ModelRetry)) {
    return { kind: 'retry', content: messageOf(thrown), cause: thrown };
  }
  if (isThrown(thrown, ToolFailed)) return { kind: 'failed', message: messageOf(thrown) };
  if (isThrown(thrown, SubRunParked)) return { kind: 'parked', messages: thrown.messages };
  if (isThrown(thrown, ApprovalRequired)) return deferred('approval', thrown.metadata);
  if (isThrown(thrown, CallDeferred)) return deferred('external', thrown.metadata);
  if (isThrown(thrown, InputRequired)) {
    // A schema is an object.
    const schema = toFrozenJson(thrown.schema, 'schema') as JsonObject;
    const question = Object.freeze({ message: messageOf(thrown), schema });
    const { state } = thrown;
    return {
      ...deferred('approval', thrown.metadata),
      question,
      // An object stays an object.
      ...(state && { questionState: toFrozenJson(state, 'state') as JsonObject }),
    };
  }
  return { kind: 'error', error: thrown };
}

/**
 * Returns whether a thrown value defers a call: `ApprovalRequired`, `CallDeferred`, `InputRequired`, or the signal of a parked sub-agent.
 * A hook around an execution uses it to distinguish a deferred call from a failed one.
 */
export function isDeferral(raw: unknown): boolean {
  const thrown = toSignal(raw);
  return (
    isThrown(thrown, SubRunParked) ||
    isThrown(thrown, ApprovalRequired) ||
    isThrown(thrown, CallDeferred) ||
    isThrown(thrown, InputRequired)
  );
}

function deferred(
  deferralKind: DeferredOutcome['deferralKind'],
  metadata: JsonObject | undefined,
): DeferredOutcome {
  if (metadata === undefined || metadata === null) return { kind: 'deferred', deferralKind };
  // An object stays an object.
  return {
    kind: 'deferred',
    deferralKind,
    metadata: toFrozenJson(metadata, 'metadata') as JsonObject,
  };
}

/** Returns the outcome of a call that is in doubt: an approver decides, or the model gets an error. */
export function outcomeOfDoubt(
  call: ToolCallPart,
  onInDoubt: OnInDoubt,
  doubt: Pick<LedgerInDoubt, 'claim' | 'reason' | 'since'>,
): DeferredOutcome | FailedOutcome {
  if (onInDoubt === 'fail') {
    return {
      kind: 'failed',
      message: `It is unknown whether '${call.toolName}' executed: ${doubt.reason}`,
    };
  }
  return deferralOfDoubt(doubt);
}

/** Returns the deferral of a call that is in doubt. */
export function deferralOfDoubt({
  claim,
  reason,
  since,
}: Pick<LedgerInDoubt, 'claim' | 'reason' | 'since'>): DeferredOutcome {
  const { attempt, key } = claim;
  const idempotencyKey = idempotencyKeyOf(key);
  const inDoubt = Object.freeze({
    attempt,
    reason,
    since,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return { kind: 'deferred', deferralKind: 'approval', inDoubt };
}

/** The parts of the next request for one call: its result, and the content and tools that the tool added. */
export interface CallResult {
  readonly part: ToolResultPart;
  readonly delta?: ToolAvailabilityDeltaPart | undefined;
  readonly content?: UserPromptPart | undefined;
}

/** Returns the result of a call for the model. */
export function resultOf(call: ToolCallPart, outcome: FinalOutcome): CallResult {
  const { toolName, toolCallId } = call;
  switch (outcome.kind) {
    case 'decided':
      return outcome.result;
    case 'retry':
      return {
        part: Object.freeze({
          kind: 'retry-prompt',
          content: outcome.content,
          toolName,
          toolCallId,
        }),
      };
    case 'failed':
      return { part: toolReturn(call, outcome.message, 'failed') };
    case 'value': {
      const part = toolReturn(call, outcome.value, 'success', outcome.metadata);
      if (!outcome.content?.length && !outcome.tools?.length) return { part };
      return {
        part,
        delta: outcome.tools?.length
          ? Object.freeze({
              kind: 'tool-availability-delta',
              toolsAdded: outcome.tools,
              toolCallId,
            })
          : undefined,
        content: outcome.content?.length
          ? Object.freeze({ kind: 'user-prompt', content: outcome.content })
          : undefined,
      };
    }
  }
}

/** Returns the part that reports the result of a tool call. */
export function toolReturn(
  call: ToolCallPart,
  content: JsonValue,
  outcome: Exclude<ToolOutcome, 'interrupted'>,
  metadata?: JsonValue | undefined,
): ToolResultPart {
  const { toolName, toolCallId } = call;
  const toolKind = kindOfResult(call, content);
  if (metadata === undefined && toolKind === undefined) {
    return Object.freeze({ kind: 'tool-return', toolName, toolCallId, content, outcome });
  }
  return Object.freeze({
    kind: 'tool-return',
    toolName,
    toolCallId,
    content,
    outcome,
    ...(metadata !== undefined && { metadata }),
    ...(toolKind !== undefined && { toolKind }),
  });
}
