/**
 * A language model of the AI SDK, specification v3 or v4, as far as a run uses it.
 *
 * It is described here by its shape, so models of every AI SDK provider fit without a dependency.
 * What the specification leaves open to growth (kinds of content, stream parts, finish reasons) is
 * left open here too: a provider that knows more than we do still fits.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  /** Who provides it and over which interface, such as `openai.responses`. */
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

/** What a {@link LanguageModel} answered in one piece. */
export interface LanguageModelResult extends LanguageModelEnd {
  readonly content: readonly { readonly type: string }[];
  readonly response?: LanguageModelResponseMetadata | undefined;
}

/** An answer of a {@link LanguageModel} that is still coming in. */
export interface LanguageModelStream {
  readonly stream: ReadableStream<{ readonly type: string }>;
}

/** What is known once the answer is complete. */
export interface LanguageModelEnd {
  readonly finishReason: { readonly unified: string };
  readonly usage: LanguageModelUsage;
  readonly providerMetadata?: unknown;
}

/** What one request cost, in tokens. */
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

/** What the provider says about an answer. */
export interface LanguageModelResponseMetadata {
  readonly id?: string | undefined;
  readonly modelId?: string | undefined;
  readonly timestamp?: Date | undefined;
}
