import { showValue } from '../errors/show-value.ts';
import { isThrown, messageOf } from '../errors/thrown.ts';
import { UserError } from '../errors/user-error.ts';
import { listOf, stringFormat, userPromptFormat, JsonPath } from '../messages/codec/index.ts';
import type { UserPrompt } from '../messages/content.ts';
import { type JsonObject, type JsonValue, toFrozenJson } from '../messages/json.ts';
import type {
  ToolAvailabilityDeltaPart,
  ToolOutcome,
  ToolResultPart,
  UserPromptPart,
  ValidationIssue,
} from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { CallDetails, CallInDoubt } from '../messages/call-details.ts';
import type { Message, SpentUsage } from '../messages/message.ts';
import {
  ApprovalRequired,
  CallDeferred,
  isSignal,
  ModelRetry,
  ToolFailed,
  ToolReturn,
  toSignal,
} from '../tools/signals.ts';
import { SubRunParked } from './sub-run.ts';

/**
 * How a tool call ended, as data: what a tool throws to steer the run never gets further than this.
 */
export type Outcome = (
  | ValueOutcome
  | RetryOutcome
  | FailedOutcome
  | DeferredOutcome
  | AnsweredOutcome
  | ParkedOutcome
  | ErrorOutcome
) & {
  /** What the tool used on its own account, such as by running another agent. */
  readonly spent?: SpentUsage | undefined;
  /** What the call ran with, where somebody has edited the arguments that the model sent. */
  readonly executedArgs?: JsonObject | undefined;
};

/** The tool returned something. */
export interface ValueOutcome {
  readonly kind: 'value';
  readonly value: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** The model is asked to try again. */
export interface RetryOutcome {
  readonly kind: 'retry';
  readonly content: string | readonly ValidationIssue[];
  /** Whether it does not count as one of the tool's retries. */
  readonly isFree?: boolean | undefined;
  /** What was thrown, for the error that is thrown when there may be no further try. */
  readonly cause?: unknown;
}

/** The tool said that it failed. */
export interface FailedOutcome {
  readonly kind: 'failed';
  readonly message: string;
}

/** Somebody else has to answer the call. */
export interface DeferredOutcome {
  readonly kind: 'deferred';
  /** Whether the call may run once it is approved, or its result comes from somewhere else. */
  readonly as: 'approval' | 'external';
  /** For whoever answers. */
  readonly metadata?: JsonObject | undefined;
  /** Nobody knows whether the call has run. */
  readonly inDoubt?: CallInDoubt | undefined;
  /** The approval request, if the gate has described the call. */
  readonly details?: CallDetails | undefined;
}

/** The call did not run: somebody had answered it before, and a ledger knows how. */
export interface AnsweredOutcome {
  readonly kind: 'answered';
  readonly result: CallResult;
}

/** An outcome that stays. */
export type FinalOutcome = (ValueOutcome | RetryOutcome | FailedOutcome | AnsweredOutcome) &
  Pick<Outcome, 'spent' | 'executedArgs'>;

/** The tool is an agent whose own run is parked: the call goes on when that one does. */
export interface ParkedOutcome {
  readonly kind: 'parked';
  /** The messages of that run. */
  readonly messages: readonly Message[];
}

/** The tool threw something else: the run ends with it. */
export interface ErrorOutcome {
  readonly kind: 'error';
  readonly error: unknown;
}

const namesFormat = listOf(stringFormat);

/** What a tool returned, as an outcome. */
export function outcomeOfValue(returned: unknown, toolName: string): ValueOutcome {
  if (!(returned instanceof ToolReturn)) {
    if (isSignal(returned)) {
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

/** What a tool or its validator threw, as an outcome. */
export function outcomeOfThrown(raw: unknown): Exclude<Outcome, ValueOutcome | AnsweredOutcome> {
  const thrown = toSignal(raw);
  if (isThrown(thrown, ModelRetry)) {
    return { kind: 'retry', content: messageOf(thrown), cause: thrown };
  }
  if (isThrown(thrown, ToolFailed)) return { kind: 'failed', message: messageOf(thrown) };
  if (isThrown(thrown, SubRunParked)) return { kind: 'parked', messages: thrown.messages };
  if (isThrown(thrown, ApprovalRequired)) return deferred('approval', thrown.metadata);
  if (isThrown(thrown, CallDeferred)) return deferred('external', thrown.metadata);
  return { kind: 'error', error: thrown };
}

function deferred(as: DeferredOutcome['as'], metadata: JsonObject | undefined): DeferredOutcome {
  if (metadata === undefined || metadata === null) return { kind: 'deferred', as };
  // An object stays one: JSON changes only what is inside.
  return { kind: 'deferred', as, metadata: toFrozenJson(metadata, 'metadata') as JsonObject };
}

/** What the next request says about a call: its result, and what came along. */
export interface CallResult {
  readonly part: ToolResultPart;
  readonly delta?: ToolAvailabilityDeltaPart | undefined;
  readonly content?: UserPromptPart | undefined;
}

/** What an outcome says to the model. */
export function resultOf(call: ToolCallPart, outcome: FinalOutcome): CallResult {
  const { toolName, toolCallId } = call;
  switch (outcome.kind) {
    case 'answered':
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

/** The answer to a tool call. */
export function toolReturn(
  call: ToolCallPart,
  content: JsonValue,
  outcome: Exclude<ToolOutcome, 'interrupted'>,
  metadata?: JsonValue | undefined,
): ToolResultPart {
  const { toolName, toolCallId, toolKind } = call;
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
