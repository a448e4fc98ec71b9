import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import type { AiSdkCalls } from './ai-sdk-calls.ts';
import type { LanguageModel } from './language-model.ts';
import { dialectSupports, type NativeDialect } from './native/native-dialect.ts';
import { nativeDialectOf } from './native/native-tool-table.ts';
import type { SearchFormat } from './native/search-format.ts';

const models = new WeakMap<LanguageModel, Model>();

/**
 * Converts an AI SDK language model to a {@link Model}.
 *
 * The same language model always returns the same model, so that runs share cached conversions.
 */
export function aiSdkModel(languageModel: LanguageModel): Model {
  const known = models.get(languageModel);
  if (known !== undefined) return known;
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
  #calls: AiSdkCalls | undefined;

  constructor(languageModel: LanguageModel) {
    const { provider, modelId } = languageModel;
    this.name = modelId;
    this.system = provider.split('.')[0] ?? provider;
    this.#languageModel = languageModel;
    this.#dialect = nativeDialectOf(provider);
    this.search = this.#dialect.search?.format;
  }

  supportsNative(tool: NativeTool): boolean {
    return dialectSupports(this.#dialect, this.name, tool);
  }

  request(call: ModelCall): Promise<ModelResponseData> {
    return this.#calls === undefined
      ? this.#loadCalls().then((calls) => calls.request(call))
      : this.#calls.request(call);
  }

  stream(call: ModelCall): AsyncIterable<ModelStreamEvent> {
    return this.#calls === undefined ? this.#streamFirst(call) : this.#calls.stream(call);
  }

  async *#streamFirst(call: ModelCall): AsyncGenerator<ModelStreamEvent, void, undefined> {
    const calls = await this.#loadCalls();
    yield* calls.stream(call);
  }

  /** Loads the conversion code with the first call, so that importing the package stays small. */
  async #loadCalls(): Promise<AiSdkCalls> {
    const module = await import('./ai-sdk-calls.ts');
    this.#calls ??= new module.AiSdkCalls(this.#languageModel, this, this.#dialect);
    return this.#calls;
  }
}
