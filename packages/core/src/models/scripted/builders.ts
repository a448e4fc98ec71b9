import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { ResponsePart } from '../../messages/response-part.ts';
import {
  argsText,
  type DraftPart,
  type ResponseDraft,
  type ResponseFields,
  toDraft,
} from './response-draft.ts';

/** Options of {@link says}. */
export interface SaysOptions {
  /** The pieces in which the text is streamed. Together they must equal the text. */
  readonly chunks?: readonly string[] | undefined;
}

/** Options of {@link thinks}. */
export interface ThinksOptions extends SaysOptions {
  /** The provider's signature of the thinking. A stream sends it at the end. */
  readonly signature?: string | undefined;
}

/** Options of {@link calls}. */
export interface CallsOptions {
  /** The id of the call. Defaults to `call-1`, `call-2` and so on. */
  readonly id?: string | undefined;
  /**
   * The pieces in which the arguments are streamed. Together they must equal the arguments as JSON without
   * spaces, or the text if the arguments are given as text.
   */
  readonly argsChunks?: readonly string[] | undefined;
}

const SAYS_OPTIONS: OptionTable<SaysOptions> = { chunks: 'list' };
const THINKS_OPTIONS: OptionTable<ThinksOptions> = { ...SAYS_OPTIONS, signature: 'string' };
const CALLS_OPTIONS: OptionTable<CallsOptions> = { id: 'string', argsChunks: 'list' };

/** Creates a response with text. */
export function says(text: string, options: SaysOptions = {}): ResponseDraft {
  checkOptions('`says`', options, SAYS_OPTIONS);
  checkChunks(options.chunks, text);
  return draft({ part: { kind: 'text', content: text }, chunks: options.chunks });
}

/** Creates a response with thinking. Combine it with other parts in {@link responds}. */
export function thinks(text: string, options: ThinksOptions = {}): ResponseDraft {
  checkOptions('`thinks`', options, THINKS_OPTIONS);
  checkChunks(options.chunks, text);
  const signature = options.signature === undefined ? {} : { signature: options.signature };
  return draft({ part: { kind: 'thinking', content: text, ...signature }, chunks: options.chunks });
}

/**
 * Creates a response with a tool call. Combine several calls in {@link responds}.
 *
 * The model sends arguments as JSON text, like providers, so `part.args` has the same form in tests and in
 * production. An object becomes JSON without spaces, `null` becomes an empty text, and a string is sent
 * unchanged, even if it is invalid JSON. To send an object, pass a part of kind `tool-call` to {@link responds}.
 */
export function calls(
  toolName: string,
  args: JsonObject | string | null = {},
  options: CallsOptions = {},
): ResponseDraft {
  checkOptions('`calls`', options, CALLS_OPTIONS);
  const text = argsText(args);
  checkChunks(options.argsChunks, text);
  return draft({
    part: { kind: 'tool-call', toolName, args: text, toolCallId: options.id },
    chunks: options.argsChunks,
  });
}

/** An item of {@link responds}: text, the result of another builder, or a part. */
export type ResponseItem = string | ResponseDraft | ResponsePart;

/**
 * Creates a response with several items, in order. The last argument may set other fields of the response.
 *
 * @example
 * ```ts
 * responds(thinks('Two files.'), calls('delete_file', { path: 'a' }), calls('delete_file', { path: 'b' }), {
 *   usage: { inputTokens: 12, outputTokens: 30 },
 * });
 * ```
 */
export function responds(
  ...items: readonly ResponseItem[] | readonly [...(readonly ResponseItem[]), ResponseFields]
): ResponseDraft {
  const parts: DraftPart[] = [];
  let fields: ResponseFields = {};
  for (const item of items) {
    if (typeof item === 'string') {
      parts.push(...toDraft(item).parts);
    } else if (!('kind' in item)) {
      fields = { ...fields, ...item };
    } else if (item.kind === 'response-draft') {
      parts.push(...item.parts);
      fields = { ...fields, ...item.fields };
    } else {
      parts.push({ part: item });
    }
  }
  return { kind: 'response-draft', parts, fields };
}

function draft(part: DraftPart): ResponseDraft {
  return { kind: 'response-draft', parts: [part], fields: {} };
}

function checkChunks(chunks: readonly string[] | undefined, whole: string): void {
  if (chunks === undefined || chunks.join('') === whole) return;
  throw new UserError(
    `The chunks make ${JSON.stringify(chunks.join(''))}, but the text is ${JSON.stringify(whole)}. ` +
      'Pass chunks that together equal the text.',
  );
}
