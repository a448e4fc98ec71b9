/**
 * A tool of the AI SDK 5, 6 or 7, as far as it is used here. It is described by its shape, so that the
 * AI SDK does not have to be installed.
 */
export interface AiSdkTool {
  /** `undefined`, `function` or `dynamic` for functions; `provider` or `provider-defined` otherwise. */
  readonly type?: string | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  /** A Standard Schema, or what `jsonSchema()` or `lazySchema()` of the AI SDK give. */
  readonly inputSchema?: unknown;
  /** Without it, the result comes from somewhere else. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: never, options: never) => unknown) | undefined;
  /** What the model is told of a result, in the form of the AI SDK 6 and 7. */
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly strict?: boolean | undefined;
  readonly deferLoading?: boolean | undefined;
  readonly metadata?: object | undefined;
  /** Of tools of a provider: which tool it is. */
  readonly id?: string | undefined;
  /** Of tools of a provider: what it is called; only the AI SDK 5 says so. */
  readonly name?: string | undefined;
  readonly args?: object | undefined;
}

/** What a tool of the AI SDK is told about the call. */
export interface AiSdkCallOptions {
  readonly toolCallId: string;
  /** What the model was asked. */
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
  readonly context?: unknown;
  /** The same under the name that it has in the AI SDK 5 and 6. */
  readonly experimental_context?: unknown;
}

/** Whether a tool is one of a provider. */
export function isProviderTool(tool: AiSdkTool): boolean {
  return tool.type === 'provider' || tool.type === 'provider-defined';
}
