import { LedgerError } from '../errors/agent-errors.ts';
import {
  listOf,
  retryPromptFormat,
  stringFormat,
  toolReturnFormat,
  userPromptFormat,
  JsonPath,
} from '../messages/codec/index.ts';
import { isPlainObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { CallResult, FinalOutcome } from './outcome.ts';

/** Returns an outcome as the ledger stores it. */
export function toStored(outcome: FinalOutcome): JsonValue {
  if (outcome.kind !== 'retry') return toFrozenJson(outcome, 'outcome');
  // The thrown value belongs to the error of this run only.
  const { cause: _, ...rest } = outcome;
  return toFrozenJson(rest, 'outcome');
}

/** Reads an outcome from the ledger. It comes from outside of the process, so it is validated. */
export function fromStored(stored: JsonValue, call: ToolCallPart): FinalOutcome {
  if (isPlainObject(stored)) {
    switch (stored['kind']) {
      case 'value':
      case 'failed':
      case 'retry':
        // `toStored` wrote it as JSON of this type.
        return stored as unknown as FinalOutcome;
      case 'decided':
        return { kind: 'decided', result: readCallResult(stored['result'], call) };
    }
  }
  throw new LedgerError(
    'broken-entry',
    `The ledger entry of tool \`${call.toolName}\` is not an outcome, so the call cannot be settled. ` +
      'Check that only Holdpoint writes to the ledger, and start a new run.',
    { toolCallId: call.toolCallId },
  );
}

function readCallResult(value: unknown, call: ToolCallPart): CallResult {
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

function idsOf({ toolName, toolCallId }: ToolCallPart): CallIds {
  return { toolName, toolCallId };
}

type CallIds = Pick<ToolCallPart, 'toolName' | 'toolCallId'>;
