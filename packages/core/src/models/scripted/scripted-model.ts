import { checkOptions, type OptionTable, passInstead } from '../../errors/check-options.ts';
import { showValue } from '../../errors/show-value.ts';
import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject } from '../../internal/json.ts';
import type { ResponsePart } from '../../messages/response-part.ts';
import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import {
  argsText,
  copyModelCall,
  type DraftPart,
  draftToEvents,
  draftToResponse,
  lastCallNumber,
  NATIVE_SUPPORT_OPTIONS,
  type NativeSupport,
  type NextCallId,
  type ResponseDraft,
  type ResponseFields,
  type ResponseLike,
  supportsNativeTool,
  toDraft,
} from './response-draft.ts';

/** An entry of a script: a response, an error to throw, or a function that returns one of them. */
export type ScriptEntry =
  | ResponseLike
  | Error
  | ((call: ModelCall) => ResponseLike | Error | Promise<ResponseLike | Error>);

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions extends NativeSupport {}

const SCRIPTED_MODEL_OPTIONS: OptionTable<ScriptedModelOptions> = {
  ...NATIVE_SUPPORT_OPTIONS,
};

/** A model whose responses are scripted; see {@link scriptedModel}. */
export class ScriptedModel implements Model {
  readonly name = 'scripted';
  readonly system = 'test';
  readonly #calls: ModelCall[] = [];
  readonly #script: readonly ScriptEntry[];
  readonly #options: ScriptedModelOptions;
  #lastCallNumber = 0;

  constructor(script: readonly ScriptEntry[], options: ScriptedModelOptions = {}) {
    this.#script = [...script];
    this.#options = options;
  }

  /** The requests so far, each with its content at that time. */
  get calls(): readonly ModelCall[] {
    return this.#calls;
  }

  /** The number of entries that are not used yet. */
  get remaining(): number {
    return Math.max(0, this.#script.length - this.#calls.length);
  }

  supportsNative(tool: NativeTool): boolean {
    return supportsNativeTool(this.#options, tool);
  }

  async request(call: ModelCall): Promise<ModelResponseData> {
    const draft = await this.#next(call);
    return draftToResponse(draft, this.name, this.#callIds(call));
  }

  async *stream(call: ModelCall): AsyncGenerator<ModelStreamEvent, void> {
    yield* draftToEvents(await this.#next(call), this.name, this.#callIds(call));
  }

  async #next(call: ModelCall): Promise<ResponseDraft> {
    const entry = this.#script[this.#calls.length];
    this.#calls.push(copyModelCall(call));
    if (entry === undefined) throw this.#missingEntry();
    const response = typeof entry === 'function' ? await entry(call) : entry;
    if (response instanceof Error) throw response;
    return toDraft(response);
  }

  /** Continues the ids of this model and of the conversation, so that each id is unique. */
  #callIds(call: ModelCall): NextCallId {
    return () => {
      this.#lastCallNumber = Math.max(this.#lastCallNumber, lastCallNumber(call.messages)) + 1;
      return `call-${this.#lastCallNumber}`;
    };
  }

  #missingEntry(): UserError {
    const { length } = this.#script;
    return new UserError(
      `The script has ${length} ${length === 1 ? 'response' : 'responses'}, and this is request ` +
        `${this.#calls.length}. Add a response to the script. \`model.calls\` contains the requests.`,
    );
  }
}

/**
 * Creates a model that returns the responses of a script in order, and records the requests.
 *
 * Entries serve requests and streams. Tool calls without an id get the ids `call-1`, `call-2` and so on, except
 * those that the conversation contains. Each request uses one entry, also if it is an error. The last
 * argument may be options.
 *
 * @example
 * ```ts
 * const model = scriptedModel(calls('delete_file', { path: '.env' }), says('Deleted.'));
 * const searching = scriptedModel(says('Found.'), { supportsNative: ['web-search'] });
 * ```
 */
export function scriptedModel(
  ...script: readonly ScriptEntry[] | readonly [...(readonly ScriptEntry[]), ScriptedModelOptions]
): ScriptedModel {
  const entries: ScriptEntry[] = [];
  let options: ScriptedModelOptions = {};
  for (const entry of script) {
    if (isEntry(entry)) entries.push(entry);
    else options = entry;
  }
  checkOptions('`scriptedModel`', options, SCRIPTED_MODEL_OPTIONS);
  return new ScriptedModel(entries, options);
}

function isEntry(item: ScriptEntry | ScriptedModelOptions): item is ScriptEntry {
  if (typeof item !== 'object' || item === null || item instanceof Error) return true;
  return Array.isArray(item) || 'kind' in item || 'parts' in item;
}

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
  requireText('The text of `says`', text);
  checkChunks(options.chunks, text);
  return draftOf({ part: { kind: 'text', content: text }, chunks: options.chunks });
}

/** Creates a response with thinking. Combine it with other parts in {@link responds}. */
export function thinks(text: string, options: ThinksOptions = {}): ResponseDraft {
  checkOptions('`thinks`', options, THINKS_OPTIONS);
  checkChunks(options.chunks, text);
  const signature = options.signature === undefined ? {} : { signature: options.signature };
  return draftOf({
    part: { kind: 'thinking', content: text, ...signature },
    chunks: options.chunks,
  });
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
  requireText('The tool name of `calls`', toolName);
  const text = argsText(args);
  checkChunks(options.argsChunks, text);
  return draftOf({
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
    requireItem(item);
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

/** Throws for a list or another value, which programs without types may pass. */
function requireItem(item: unknown): void {
  if (typeof item === 'string' || isPlainObject(item)) return;
  throw new UserError(
    `An item of \`responds\` is ${showValue(item)}. ` +
      passInstead(item, 'a text, a part, or the result of `says`, `calls` or `thinks`'),
  );
}

function draftOf(part: DraftPart): ResponseDraft {
  return { kind: 'response-draft', parts: [part], fields: {} };
}

function requireText(what: string, value: unknown): void {
  if (typeof value === 'string') return;
  throw new UserError(`${what} is ${showValue(value)}. ${passInstead(value, 'a text')}`);
}

function checkChunks(chunks: readonly string[] | undefined, whole: string): void {
  if (chunks === undefined || chunks.join('') === whole) return;
  throw new UserError(
    `The chunks make ${JSON.stringify(chunks.join(''))}, but the text is ${JSON.stringify(whole)}. ` +
      'Pass chunks that together equal the text.',
  );
}
