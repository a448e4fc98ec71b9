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

/** How the text of {@link says} is streamed. */
export interface SaysOptions {
  /** The pieces in which the text is streamed; together they must be the text. */
  readonly chunks?: readonly string[] | undefined;
}

/** How the model of {@link thinks} thinks. */
export interface ThinksOptions extends SaysOptions {
  /** The provider's seal on the thought; in a stream it comes at the end. */
  readonly signature?: string | undefined;
}

/** How the call of {@link calls} is made. */
export interface CallsOptions {
  /** The id of the call; without it the calls of a script are `call-1`, `call-2` and so on. */
  readonly id?: string | undefined;
  /**
   * The pieces in which the arguments are streamed; together they must be the arguments as JSON
   * without spaces, or exactly the text where the arguments are given as text.
   */
  readonly argsChunks?: readonly string[] | undefined;
}

const SAYS: OptionTable<SaysOptions> = { chunks: 'list' };
const THINKS: OptionTable<ThinksOptions> = { ...SAYS, signature: 'string' };
const CALLS: OptionTable<CallsOptions> = { id: 'string', argsChunks: 'list' };

/** The model answers with text. */
export function says(text: string, options: SaysOptions = {}): ResponseDraft {
  checkOptions('`says`', options, SAYS);
  checkChunks(options.chunks, text);
  return draft({ part: { kind: 'text', content: text }, chunks: options.chunks });
}

/** The model thinks; put it before something else with {@link responds}. */
export function thinks(text: string, options: ThinksOptions = {}): ResponseDraft {
  checkOptions('`thinks`', options, THINKS);
  checkChunks(options.chunks, text);
  const seal = options.signature === undefined ? {} : { signature: options.signature };
  return draft({ part: { kind: 'thinking', content: text, ...seal }, chunks: options.chunks });
}

/**
 * The model calls a tool; several calls in one response are put together with {@link responds}.
 *
 * The model sends arguments as JSON text, as providers do, so `part.args` has the same form in tests and in
 * production. An object becomes JSON without spaces, `null` becomes an empty text, and a string is sent as
 * it is, even if it is broken JSON. To send an object, pass a part of kind `tool-call` to {@link responds}.
 */
export function calls(
  toolName: string,
  args: JsonObject | string | null = {},
  options: CallsOptions = {},
): ResponseDraft {
  checkOptions('`calls`', options, CALLS);
  const text = argsText(args);
  checkChunks(options.argsChunks, text);
  return draft({
    part: { kind: 'tool-call', toolName, args: text, toolCallId: options.id },
    chunks: options.argsChunks,
  });
}

/** What {@link responds} puts together: text, what another builder made, or a part as it is. */
export type ResponseItem = string | ResponseDraft | ResponsePart;

/**
 * Several things in one response, in this order; the last argument may say how the response ends.
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
    `The chunks make ${JSON.stringify(chunks.join(''))}, but the whole is ${JSON.stringify(whole)}. ` +
      'Cut the whole into chunks without changing it.',
  );
}
