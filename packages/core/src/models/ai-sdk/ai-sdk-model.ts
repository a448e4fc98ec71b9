import { showValue } from '../../errors/show-value.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import { fromContent } from './from-content.ts';
import { fromStream } from './from-stream.ts';
import type { LanguageModel, LanguageModelResult } from './language-model.ts';
import { dialectSupports, type NativeDialect } from './native/native-dialect.ts';
import { nativeDialectOf } from './native/native-tool-table.ts';
import type { SearchFormat } from './native/search-parts.ts';
import { CallConverter } from './to-call-options.ts';
import { toRequestError } from './to-model-error.ts';

const models = new WeakMap<LanguageModel, Model>();

/**
 * Converts an AI SDK language model to a {@link Model}.
 *
 * The same language model always returns the same model, so that runs share cached conversions.
 */
export function aiSdkModel(languageModel: LanguageModel): Model {
  const known = models.get(languageModel);
  if (known !== undefined) return known;
  if (!isAiSdkModel(languageModel)) {
    throw new UserError(
      `The model of \`aiSdkModel\` is ${showValue(languageModel)}. Pass a language model of the AI SDK, version 3 or 4.`,
    );
  }
  const model = new AiSdkModel(languageModel);
  models.set(languageModel, model);
  return model;
}

/** Returns true if a value is an AI SDK language model that {@link aiSdkModel} accepts. */
export function isAiSdkModel(value: unknown): value is LanguageModel {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const model: Partial<Record<keyof LanguageModel, unknown>> = value;
  return (
    (model.specificationVersion === 'v3' || model.specificationVersion === 'v4') &&
    typeof model.doGenerate === 'function' &&
    typeof model.doStream === 'function'
  );
}

class AiSdkModel implements Model {
  readonly name: string;
  readonly system: string;
  readonly search: SearchFormat | undefined;
  readonly #languageModel: LanguageModel;
  readonly #dialect: NativeDialect;
  readonly #calls: CallConverter;

  constructor(languageModel: LanguageModel) {
    const { specificationVersion: version, provider, modelId } = languageModel;
    this.name = modelId;
    this.system = provider.split('.')[0] ?? provider;
    this.#languageModel = languageModel;
    this.#dialect = nativeDialectOf(provider);
    this.search = this.#dialect.search?.format;
    this.#calls = new CallConverter({ version, system: this.system, dialect: this.#dialect });
  }

  supportsNative(tool: NativeTool): boolean {
    return dialectSupports(this.#dialect, this.name, tool);
  }

  async request(call: ModelCall): Promise<ModelResponseData> {
    return fromContent(await this.#generate(call), this);
  }

  stream(call: ModelCall): AsyncIterable<ModelStreamEvent> {
    const request = () => this.#languageModel.doStream(this.#calls.toCallOptions(call));
    return fromStream(request, this, call.signal);
  }

  async #generate(call: ModelCall): Promise<LanguageModelResult> {
    const options = this.#calls.toCallOptions(call);
    try {
      return await this.#languageModel.doGenerate(options);
    } catch (error) {
      throw toRequestError(error, this.name, call.signal);
    }
  }
}
