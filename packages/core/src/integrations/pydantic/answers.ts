import {
  type ApprovalDecision,
  type ExternalResult,
  isRetryPrompt,
  isUndecided,
  ToolApproved,
  ToolDenied,
} from '../../deferred/answers.ts';
import { undecidedText } from '../../deferred/unanswered-text.ts';
import { Trail } from '../../messages/codec/index.ts';
import type { UserPrompt } from '../../messages/content.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../messages/json.ts';
import { ModelRetry, ToolFailed, ToolReturn } from '../../tools/signals.ts';
import { userPrompt } from './content.ts';
import { retryPrompt } from './request-parts.ts';
import { holdsFile, toolContent } from './tool-content.ts';
import { attempt } from './wire/attempt.ts';
import { freeJson, freeObject } from './wire/free-json.ts';
import { defaulted, nullable, required } from './wire/object.ts';
import { type Variant, variantsBy } from './wire/union.ts';
import { listOf, text, type Wire } from './wire/wire.ts';

const answer = variantsBy('kind');

const approved = answer<{ kind: 'tool-approved'; overrideArgs?: JsonObject | undefined }>(
  'tool-approved',
  { overrideArgs: nullable(freeObject) },
);

const denied = answer<{ kind: 'tool-denied'; message?: string | undefined }>('tool-denied', {
  message: defaulted(text, new ToolDenied().message),
});

/** An answer to a call that needs approval. */
export const approvalAnswer: Wire<ApprovalDecision> = {
  load(value, trail) {
    if (typeof value === 'boolean') return value;
    if (!isPlainObject(value)) return trail.mismatch('true, false or an object', value);
    if (value['kind'] === 'tool-approved') {
      return new ToolApproved({ overrideArgs: approved.load(value, trail).overrideArgs });
    }
    if (value['kind'] === 'tool-denied') return new ToolDenied(denied.load(value, trail).message);
    trail.enter('kind');
    return trail.mismatchedText('"tool-approved" or "tool-denied"', value['kind']);
  },
  dump(value, trail) {
    if (value instanceof ToolApproved) {
      const { overrideArgs } = value;
      return approved.dump({ kind: 'tool-approved', overrideArgs }, trail);
    }
    // A denial is what the format has for a call that does not run; the text says that it is none.
    if (isUndecided(value)) {
      return denied.dump({ kind: 'tool-denied', message: undecidedText(value) }, trail);
    }
    if (!(value instanceof ToolDenied)) return value;
    return denied.dump({ kind: 'tool-denied', message: value.message }, trail);
  },
};

interface Returned {
  readonly kind: 'tool-return';
  readonly returnValue: JsonValue;
  readonly content?: UserPrompt | undefined;
  readonly metadata?: JsonValue | undefined;
  readonly tools?: readonly string[] | undefined;
}

const returned = answer<Returned>('tool-return', {
  returnValue: required(toolContent),
  content: nullable(userPrompt),
  metadata: nullable(freeJson),
  tools: nullable(listOf(text)),
});

interface Told<Kind extends string> {
  readonly kind: Kind;
  readonly message: string;
}

const retry: Variant<Told<'model-retry'>> = answer('model-retry', { message: required(text) });
const failed: Variant<Told<'tool-failed'>> = answer('tool-failed', { message: required(text) });

/** An answer to a call whose result comes from somewhere else. */
export const callAnswer: Wire<ExternalResult> = {
  load(value, trail) {
    if (!isPlainObject(value)) return toolContent.load(value, trail);
    if (value['part_kind'] === 'retry-prompt') return retryPrompt.load(value, trail);
    switch (value['kind']) {
      case 'tool-return':
        return loadReturn(value, trail);
      case 'model-retry':
        return new ModelRetry(retry.load(value, trail).message);
      case 'tool-failed':
        return new ToolFailed(failed.load(value, trail).message);
    }
    return isMistaken(value) ? refuse(value, trail) : loadPlain(value, trail);
  },
  dump(value, trail) {
    if (value instanceof ToolReturn) return dumpReturn(value, trail);
    if (value instanceof ModelRetry) return retry.dump(told('model-retry', value), trail);
    if (isUndecided(value)) {
      return failed.dump({ kind: 'tool-failed', message: undecidedText(value) }, trail);
    }
    if (value instanceof ToolFailed) return failed.dump(told('tool-failed', value), trail);
    if (isRetryPrompt(value)) return retryPrompt.dump(value, trail);
    // What has no class of its own is JSON.
    return dumpPlain(value as JsonValue, trail);
  },
};

const ANSWERS: ReadonlySet<unknown> = new Set([
  'tool-return',
  'model-retry',
  'tool-failed',
  'tool-approved',
  'tool-denied',
]);

/** Whether a plain value could be taken for an answer, here or in the reference. */
function isMistaken({ kind, part_kind: partKind }: Record<string, unknown>): boolean {
  return ANSWERS.has(kind) || ANSWERS.has(partKind) || partKind === 'retry-prompt';
}

function refuse(value: Record<string, unknown>, trail: Trail): never {
  const tag = ANSWERS.has(value['kind']) ? 'kind' : 'part_kind';
  trail.enter(tag);
  return trail.fail(
    `Expected an answer to an external call, found ${JSON.stringify(value[tag])}. ` +
      'If this is the value of the call, wrap it: {"kind": "tool-return", "return_value": …}.',
  );
}

/** A value as it is; one that is an answer only here is said to be the value. */
function loadPlain(value: Record<string, unknown>, trail: Trail): ExternalResult {
  const loaded = toolContent.load(value, trail);
  return isRetryPrompt(loaded) ? new ToolReturn({ returnValue: loaded }) : loaded;
}

/** The reference takes a return with a file in its value for the value, all of it; so do we. */
function loadReturn(value: Record<string, unknown>, trail: Trail): ExternalResult {
  const { returnValue, content, metadata, tools } = returned.load(value, trail);
  return holdsFile(returnValue)
    ? toolContent.load(value, trail)
    : new ToolReturn({ returnValue, content, metadata, tools });
}

function dumpReturn(answered: ToolReturn, trail: Trail): unknown {
  const { returnValue, content, metadata, tools } = answered;
  // What goes to JSON has to be JSON; whether it is, is seen when the document is loaded again.
  const value = returnValue as JsonValue;
  if (holdsFile(value)) return dumpFiles(value, content ?? metadata ?? tools, trail);
  const rest = { content, metadata, tools } as Omit<Returned, 'kind' | 'returnValue'>;
  return returned.dump({ kind: 'tool-return', returnValue: value, ...rest }, trail);
}

/** A value with files is written without an answer around it, which would be taken for the value. */
function dumpFiles(value: JsonValue, beside: unknown, trail: Trail): unknown {
  trail.enter('returnValue');
  if (beside !== undefined && beside !== null) {
    trail.fail(
      'Expected a value without files, since there is content, metadata or tools beside it: ' +
        'Pydantic AI would take the whole answer for the value. Put the files into content.',
    );
  }
  const dumped = dumpPlain(value, trail);
  trail.leave();
  return dumped;
}

/** A value as it is; one that would be taken for an answer is said to be the value. */
function dumpPlain(value: JsonValue, trail: Trail): unknown {
  const dumped = toolContent.dump(value, trail);
  if (!isPlainObject(value) || !isMistaken(value) || isTakenWhole(dumped)) return dumped;
  if (holdsFile(value)) {
    trail.fail(
      'Expected a value that cannot be taken for an answer, since there are files in it. ' +
        'Give it another "kind".',
    );
  }
  return returned.dump({ kind: 'tool-return', returnValue: value }, trail);
}

/** Whether an object that calls itself a return is a value all the same: it has a file in its own value. */
function isTakenWhole(value: unknown): boolean {
  if (!isPlainObject(value) || value['kind'] !== 'tool-return') return false;
  const answered = attempt(() => returned.load(value, new Trail()));
  return answered !== undefined && holdsFile(answered.returnValue);
}

function told<Kind extends string>(kind: Kind, { message }: Error): Told<Kind> {
  return { kind, message };
}
