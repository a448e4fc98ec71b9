import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Model, ModelCall, ModelReply, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import { lastCallNumber, type NextCallId } from './call-ids.ts';
import { draftToEvents } from './draft-stream.ts';
import { hasNative, NATIVE_SUPPORT, type NativeSupport } from './native-support.ts';
import { recordedCall } from './recorded-call.ts';
import { draftToReply, type ResponseDraft, type ResponseLike, toDraft } from './response-draft.ts';

/** One entry of a script: a reply, an error to throw, or a function that gives one of these. */
export type ScriptEntry =
  | ResponseLike
  | Error
  | ((call: ModelCall) => ResponseLike | Error | Promise<ResponseLike | Error>);

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions extends NativeSupport {}

const SCRIPTED_MODEL_OPTIONS: OptionTable<ScriptedModelOptions> = {
  ...NATIVE_SUPPORT,
};

/** A model that answers from a script; see {@link scriptedModel}. */
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

  /** What the model was asked, request by request, as it was at that time. */
  get calls(): readonly ModelCall[] {
    return this.#calls;
  }

  /** How many replies have not been given yet. */
  get remaining(): number {
    return Math.max(0, this.#script.length - this.#calls.length);
  }

  supportsNative(tool: NativeTool): boolean {
    return hasNative(this.#options, tool);
  }

  async request(call: ModelCall): Promise<ModelReply> {
    const draft = await this.#next(call);
    return draftToReply(draft, this.name, this.#callIds(call));
  }

  async *stream(call: ModelCall): AsyncGenerator<ModelStreamEvent, void> {
    yield* draftToEvents(await this.#next(call), this.name, this.#callIds(call));
  }

  async #next(call: ModelCall): Promise<ResponseDraft> {
    const entry = this.#script[this.#calls.length];
    this.#calls.push(recordedCall(call));
    if (entry === undefined) throw this.#usedUp();
    const reply = typeof entry === 'function' ? await entry(call) : entry;
    if (reply instanceof Error) throw reply;
    return toDraft(reply);
  }

  /** Goes on after what this model gave before and after what the conversation holds, so that no id comes twice. */
  #callIds(call: ModelCall): NextCallId {
    return () => {
      this.#lastCallNumber = Math.max(this.#lastCallNumber, lastCallNumber(call.messages)) + 1;
      return `call-${this.#lastCallNumber}`;
    };
  }

  #usedUp(): UserError {
    const { length } = this.#script;
    return new UserError(
      `The script has ${length} ${length === 1 ? 'reply' : 'replies'}, and this is request ` +
        `${this.#calls.length}. Add a reply, or look at \`model.calls\` for what was asked.`,
    );
  }
}

/**
 * A model that gives one reply after the other and remembers what it was asked.
 *
 * It answers requests and streams alike. Tool calls without an id are numbered in the order of the
 * script, `call-1`, `call-2` and so on, leaving out what the conversation already has. An entry is
 * used up by the request that gets it, also when it is an error. The last argument may be options.
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
