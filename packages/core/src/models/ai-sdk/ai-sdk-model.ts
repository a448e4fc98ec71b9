import type { Model, ModelCall, ModelReply, ModelStreamEvent } from '../model.ts';
import { fromContent } from './from-content.ts';
import { fromStream } from './from-stream.ts';
import type { LanguageModel, LanguageModelAnswer } from './language-model.ts';
import { CallConverter } from './to-call-options.ts';
import { v3Files, v4Files } from './to-file.ts';
import { toRequestError } from './to-model-error.ts';
import { PromptConverter } from './to-prompt.ts';

const models = new WeakMap<LanguageModel, Model>();

/**
 * A language model of the AI SDK as a {@link Model}.
 *
 * The same language model gives the same model, so that what was converted for it once is known in
 * every run.
 */
export function aiSdkModel(languageModel: LanguageModel): Model {
  const known = models.get(languageModel);
  if (known !== undefined) return known;
  const model = new AiSdkModel(languageModel);
  models.set(languageModel, model);
  return model;
}

/** Whether a value is a language model of the AI SDK that {@link aiSdkModel} takes. */
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
  readonly #languageModel: LanguageModel;
  readonly #calls: CallConverter;

  constructor(languageModel: LanguageModel) {
    const { specificationVersion: version, provider, modelId } = languageModel;
    this.name = modelId;
    this.system = provider.split('.')[0] ?? provider;
    this.#languageModel = languageModel;
    const prompts = new PromptConverter(version === 'v3' ? v3Files : v4Files);
    this.#calls = new CallConverter(version, prompts);
  }

  async request(call: ModelCall): Promise<ModelReply> {
    return fromContent(await this.#generate(call), this);
  }

  stream(call: ModelCall): AsyncIterable<ModelStreamEvent> {
    const request = () => this.#languageModel.doStream(this.#calls.toCallOptions(call));
    return fromStream(request, this, call.signal);
  }

  async #generate(call: ModelCall): Promise<LanguageModelAnswer> {
    const options = this.#calls.toCallOptions(call);
    try {
      return await this.#languageModel.doGenerate(options);
    } catch (error) {
      throw toRequestError(error, this.name, call.signal);
    }
  }
}
