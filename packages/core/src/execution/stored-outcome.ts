import { LedgerError } from '../errors/ledger-error.ts';
import {
  listOf,
  retryPromptFormat,
  stringFormat,
  toolReturnFormat,
  userPromptFormat,
  JsonPath,
} from '../messages/codec/index.ts';
import { isPlainObject, type JsonValue, toFrozenJson } from '../messages/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { CallResult, FinalOutcome } from './outcome.ts';

/** An outcome as a ledger keeps it. */
export function toStored(outcome: FinalOutcome): JsonValue {
  if (outcome.kind !== 'retry') return toFrozenJson(outcome, 'outcome');
  // What was thrown is for the error that ends a run, and not for another one.
  const { cause: _, ...rest } = outcome;
  return toFrozenJson(rest, 'outcome');
}

/** What a ledger has kept. It comes from outside: nothing in it is taken on trust. */
export function fromStored(stored: JsonValue, call: ToolCallPart): FinalOutcome {
  if (isPlainObject(stored)) {
    switch (stored['kind']) {
      case 'value':
      case 'failed':
      case 'retry':
        // Written by toStored, which has made JSON of what a tool gave.
        return stored as unknown as FinalOutcome;
      case 'answered':
        return { kind: 'answered', result: readResult(stored['result'], call) };
    }
  }
  throw new LedgerError(
    'broken-entry',
    `What the ledger has for '${call.toolName}' is not an outcome. Was it written by something else? Start a new run.`,
    { toolCallId: call.toolCallId },
  );
}

function readResult(value: unknown, call: ToolCallPart): CallResult {
  const path = JsonPath.of('ledger', call.toolCallId);
  const { part, content, delta } = isPlainObject(value) ? value : {};
  const isRetry = isPlainObject(part) && part['kind'] === 'retry-prompt';
  return {
    part: isRetry
      ? Object.freeze({ ...retryPromptFormat.read(part, path), ...idsOf(call) })
      : Object.freeze({ ...toolReturnFormat.read(part, path), ...idsOf(call) }),
    ...(delta !== undefined && {
      delta: Object.freeze({
        kind: 'tool-availability-delta',
        toolsAdded: Object.freeze(listOf(stringFormat).read(fieldOf(delta, 'toolsAdded'), path)),
        toolCallId: call.toolCallId,
      }),
    }),
    ...(content !== undefined && {
      content: Object.freeze({
        kind: 'user-prompt',
        content: userPromptFormat.read(fieldOf(content, 'content'), path),
      }),
    }),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return isPlainObject(value) ? value[name] : undefined;
}

function idsOf({ toolName, toolCallId }: ToolCallPart): AnsweredIds {
  return { toolName, toolCallId };
}

type AnsweredIds = Pick<ToolCallPart, 'toolName' | 'toolCallId'>;
