import type { ModelCall, ModelResponseData, ModelStreamEvent } from '../model.ts';
import { type ModelInfo, fromContent } from './from-content.ts';
import { fromStream } from './from-stream.ts';
import type { LanguageModel, LanguageModelResult } from './language-model.ts';
import type { NativeDialect } from './native/native-dialect.ts';
import { CallConverter } from './to-call-options.ts';
import { toRequestError } from './to-model-error.ts';

/** Sends calls to an AI SDK language model and converts its responses. */
export class AiSdkCalls {
  readonly #languageModel: LanguageModel;
  readonly #modelInfo: ModelInfo;
  readonly #calls: CallConverter;

  constructor(languageModel: LanguageModel, modelInfo: ModelInfo, dialect: NativeDialect) {
    const { specificationVersion: version } = languageModel;
    this.#languageModel = languageModel;
    this.#modelInfo = modelInfo;
    this.#calls = new CallConverter({ version, system: modelInfo.system, dialect });
  }

  async request(call: ModelCall): Promise<ModelResponseData> {
    return fromContent(await this.#generate(call), this.#modelInfo);
  }

  stream(call: ModelCall): AsyncIterable<ModelStreamEvent> {
    const request = () => this.#languageModel.doStream(this.#calls.toCallOptions(call));
    return fromStream(request, this.#modelInfo, call.signal);
  }

  async #generate(call: ModelCall): Promise<LanguageModelResult> {
    const options = this.#calls.toCallOptions(call);
    try {
      return await this.#languageModel.doGenerate(options);
    } catch (error) {
      throw toRequestError(error, this.#modelInfo.name, call.signal);
    }
  }
}
