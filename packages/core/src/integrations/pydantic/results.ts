import {
  type ApprovalDecision,
  type ExternalResult,
  ToolApproved,
  ToolDenied,
  ToolInput,
  isRetryPrompt,
  isUndecided,
  undecidedText,
} from '../../deferred/decisions.ts';
import { nullable, optionalAs } from '../../messages/codec/field.ts';
import { type Format, listOf, stringFormat } from '../../messages/codec/format.ts';
import { JsonPath, quote } from '../../messages/codec/json-path.ts';
import type { UserPrompt } from '../../messages/content.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../../tools/signals.ts';
import { containsFile, toolContentFormat, pydanticUserPromptFormat } from './content.ts';
import { pydanticRetryPromptFormat } from './parts.ts';
import { attempt, pydanticJsonFormat, pydanticJsonObjectFormat, variantsBy } from './values.ts';

const variant = variantsBy('kind');

const approvedFormat = variant<{
  readonly kind: 'tool-approved';
  readonly overrideArgs?: JsonObject | undefined;
}>('tool-approved', { overrideArgs: nullable(pydanticJsonObjectFormat) });

const deniedFormat = variant<{
  readonly kind: 'tool-denied';
  readonly message?: string | undefined;
}>('tool-denied', { message: optionalAs(stringFormat, new ToolDenied().message) });

/** A decision about a call that needs approval. */
export const pydanticApprovalFormat: Format<ApprovalDecision> = {
  read(value, path) {
    if (typeof value === 'boolean') return value;
    if (!isPlainObject(value)) return path.mismatch('true, false or an object', value);
    switch (value['kind']) {
      case 'tool-approved':
        return new ToolApproved({ overrideArgs: approvedFormat.read(value, path).overrideArgs });
      case 'tool-denied':
        return new ToolDenied(deniedFormat.read(value, path).message);
      default:
        return path.at('kind').mismatchedText('"tool-approved" or "tool-denied"', value['kind']);
    }
  },
  write(value, path) {
    if (value instanceof ToolApproved) {
      const { overrideArgs } = value;
      return approvedFormat.write({ kind: 'tool-approved', overrideArgs }, path);
    }
    if (value instanceof ToolDenied) {
      return deniedFormat.write({ kind: 'tool-denied', message: value.message }, path);
    }
    if (value instanceof ToolInput) {
      return path.fail('Pydantic AI has no questions, so its JSON has no form for an input.');
    }
    // Pydantic AI has no other decision for a call that does not execute; the text explains it.
    if (value instanceof ModelRetry) {
      return deniedFormat.write({ kind: 'tool-denied', message: value.message }, path);
    }
    if (isUndecided(value)) {
      return deniedFormat.write({ kind: 'tool-denied', message: undecidedText(value) }, path);
    }
    return value;
  },
};

interface ReturnJson {
  readonly kind: 'tool-return';
  readonly returnValue: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

const returnFormat = variant<ReturnJson>('tool-return', {
  returnValue: toolContentFormat,
  content: nullable(pydanticUserPromptFormat),
  metadata: nullable(pydanticJsonFormat),
  tools: nullable(listOf(stringFormat)),
});

interface MessageJson<Kind extends string> {
  readonly kind: Kind;
  readonly message: string;
}

const modelRetryFormat = variant<MessageJson<'model-retry'>>('model-retry', {
  message: stringFormat,
});
const toolFailedFormat = variant<MessageJson<'tool-failed'>>('tool-failed', {
  message: stringFormat,
});

/** The result of an external call. */
export const pydanticCallResultFormat: Format<ExternalResult> = {
  read(value, path) {
    if (!isPlainObject(value)) return toolContentFormat.read(value, path);
    if (value['part_kind'] === 'retry-prompt') return pydanticRetryPromptFormat.read(value, path);
    switch (value['kind']) {
      case 'tool-return':
        return readReturn(value, path);
      case 'model-retry':
        return new ModelRetry(modelRetryFormat.read(value, path).message);
      case 'tool-failed':
        return new ToolFailed(toolFailedFormat.read(value, path).message);
      default:
        return isAmbiguous(value) ? failForAmbiguous(value, path) : readPlain(value, path);
    }
  },
  write(value, path) {
    if (value instanceof ToolReturn) return writeReturn(value, path);
    if (value instanceof ModelRetry) {
      return modelRetryFormat.write({ kind: 'model-retry', message: value.message }, path);
    }
    if (value instanceof ToolFailed) {
      return toolFailedFormat.write({ kind: 'tool-failed', message: value.message }, path);
    }
    if (isUndecided(value)) {
      return toolFailedFormat.write({ kind: 'tool-failed', message: undecidedText(value) }, path);
    }
    if (isRetryPrompt(value)) return pydanticRetryPromptFormat.write(value, path);
    // A result that is none of these classes is JSON.
    return writePlain(value as JsonValue, path);
  },
};

const RESULT_KINDS: ReadonlySet<unknown> = new Set([
  'tool-return',
  'model-retry',
  'tool-failed',
  'tool-approved',
  'tool-denied',
]);

/** Returns true if Holdpoint or Pydantic AI could read a plain value as a decision or another kind of result. */
function isAmbiguous({ kind, part_kind: partKind }: Record<string, unknown>): boolean {
  return RESULT_KINDS.has(kind) || RESULT_KINDS.has(partKind) || partKind === 'retry-prompt';
}

function failForAmbiguous(value: Record<string, unknown>, path: JsonPath): never {
  const tag = RESULT_KINDS.has(value['kind']) ? 'kind' : 'part_kind';
  return path
    .at(tag)
    .fail(
      `Expected the result of an external call, found ${quote(String(value[tag]))}. ` +
        'If this is the value of the call, wrap it: {"kind": "tool-return", "return_value": …}.',
    );
}

/** Wraps a value that only Holdpoint would take for a retry prompt. */
function readPlain(value: Record<string, unknown>, path: JsonPath): ExternalResult {
  const content = toolContentFormat.read(value, path);
  return isRetryPrompt(content) ? new ToolReturn({ returnValue: content }) : content;
}

/** Reads a return. If its value contains a file, it is a plain value, as in Pydantic AI. */
function readReturn(value: Record<string, unknown>, path: JsonPath): ExternalResult {
  const { kind: _, ...options } = returnFormat.read(value, path);
  return containsFile(options.returnValue)
    ? toolContentFormat.read(value, path)
    : new ToolReturn(options);
}

function writeReturn(result: ToolReturn, path: JsonPath): unknown {
  const { content, metadata, tools } = result;
  // The formats validate that both values are JSON.
  const returnValue = result.returnValue as JsonValue;
  if (!containsFile(returnValue)) {
    const members = { content, metadata: metadata as JsonValue | undefined, tools };
    return returnFormat.write({ kind: 'tool-return', returnValue, ...members }, path);
  }
  const other = content ?? metadata ?? tools;
  return writeFiles(returnValue, other !== undefined && other !== null, path.at('returnValue'));
}

/** Writes a value with files without a wrapper, which Pydantic AI would read as the value. */
function writeFiles(value: JsonValue, hasOtherMembers: boolean, path: JsonPath): unknown {
  if (hasOtherMembers) {
    path.fail(
      'Expected a value without files, since there is content, metadata or tools beside it: ' +
        'Pydantic AI would take the whole return for the value. Put the files into content.',
    );
  }
  return writePlain(value, path);
}

/** Wraps a value that would be taken for a decision or a result of another kind. */
function writePlain(value: JsonValue, path: JsonPath): unknown {
  const document = toolContentFormat.write(value, path);
  if (!isPlainObject(value) || !isAmbiguous(value) || isReadAsPlain(document)) return document;
  if (containsFile(value)) {
    path.fail(
      'Expected a value that cannot be taken for a decision or a result, since it contains files. ' +
        'Use another "kind".',
    );
  }
  return returnFormat.write({ kind: 'tool-return', returnValue: value }, path);
}

/** Returns true if Pydantic AI reads a return as a plain value, because its value contains a file. */
function isReadAsPlain(value: unknown): boolean {
  if (!isPlainObject(value) || value['kind'] !== 'tool-return') return false;
  const result = attempt(() => returnFormat.read(value, JsonPath.root));
  return result !== undefined && containsFile(result.returnValue);
}
