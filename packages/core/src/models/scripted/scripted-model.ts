import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import { copyModelCall } from './model-call.ts';
import {
  NATIVE_SUPPORT_OPTIONS,
  type NativeSupport,
  supportsNativeTool,
} from './native-support.ts';
import {
  draftToEvents,
  draftToResponse,
  lastCallNumber,
  type NextCallId,
  type ResponseDraft,
  type ResponseLike,
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
  return typeof item !== 'object' || item instanceof Error || 'kind' in item || 'parts' in item;
}
