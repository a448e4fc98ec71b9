/**
 * The part of an AI SDK language model, specification v3 or v4, that a run uses.
 *
 * It is defined by its shape, so that models of all AI SDK providers fit without a dependency. Kinds of content,
 * stream parts and finish reasons are open, so that newer providers fit too.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  /** The provider and its interface, such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: LanguageModelCallOptions): PromiseLike<LanguageModelResult>;
  doStream(options: LanguageModelCallOptions): PromiseLike<LanguageModelStream>;
}

/** One request to a {@link LanguageModel}. */
export interface LanguageModelCallOptions {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[] | undefined;
  readonly toolChoice?: { readonly type: string } | undefined;
  readonly responseFormat?: { readonly type: string } | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** Specification v4 only. */
  readonly reasoning?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly providerOptions?: Readonly<Record<string, object>> | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A complete response of a {@link LanguageModel}. */
export interface LanguageModelResult extends LanguageModelEnd {
  readonly content: readonly { readonly type: string }[];
  readonly response?: LanguageModelResponseMetadata | undefined;
}

/** A streamed response of a {@link LanguageModel}. */
export interface LanguageModelStream {
  readonly stream: ReadableStream<{ readonly type: string }>;
}

/** The data at the end of a response. */
export interface LanguageModelEnd {
  readonly finishReason: { readonly unified: string };
  readonly usage: LanguageModelUsage;
  readonly providerMetadata?: unknown;
}

/** The tokens that one request used. */
export interface LanguageModelUsage {
  readonly inputTokens?:
    | {
        readonly total: number | undefined;
        readonly cacheRead: number | undefined;
        readonly cacheWrite: number | undefined;
      }
    | undefined;
  readonly outputTokens?:
    | { readonly total: number | undefined; readonly reasoning: number | undefined }
    | undefined;
}

/** Data of the provider about a response. */
export interface LanguageModelResponseMetadata {
  readonly id?: string | undefined;
  readonly modelId?: string | undefined;
  readonly timestamp?: Date | undefined;
}
