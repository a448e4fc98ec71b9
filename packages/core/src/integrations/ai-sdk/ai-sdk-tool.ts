import type { RunContext } from '../../context/run-context.ts';
import { v4Files } from '../../models/ai-sdk/to-file.ts';
import { PromptConverter } from '../../models/ai-sdk/to-prompt.ts';

/** A tool of the AI SDK 5, 6 or 7, described structurally: the AI SDK does not have to be installed. */
export interface AiSdkTool {
  /** `undefined`, `function` or `dynamic` for functions; `provider` or `provider-defined` otherwise. */
  readonly type?: string | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  /** A Standard Schema, or the result of `jsonSchema()` or `lazySchema()` of the AI SDK. */
  readonly inputSchema?: unknown;
  /** The function of the tool. Calls to a tool without it are external. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: never, options: never) => unknown) | undefined;
  /** Converts a result for the model, in the form of the AI SDK 6 and 7. */
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly strict?: boolean | undefined;
  readonly deferLoading?: boolean | undefined;
  readonly metadata?: object | undefined;
  /** The id of a provider's tool. */
  readonly id?: string | undefined;
  /** The name of a provider's tool. Only the AI SDK 5 sets it. */
  readonly name?: string | undefined;
  readonly args?: object | undefined;
}

/** The second argument of a tool's functions in the AI SDK. */
export interface AiSdkCallOptions {
  readonly toolCallId: string;
  /** The messages of the request that led to the call. */
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
  readonly context?: unknown;
  /** The name of `context` in the AI SDK 5 and 6. */
  readonly experimental_context?: unknown;
}

/** Returns true if the tool belongs to a provider. */
export function isProviderTool(tool: AiSdkTool): boolean {
  return tool.type === 'provider' || tool.type === 'provider-defined';
}

/** Converts messages without the parts that only one provider understands. */
const converter = new PromptConverter({
  files: v4Files,
  native: { system: '', takesNative: false, search: undefined },
});

/** Returns the options of a call. They are computed when the tool reads them. */
export function callOptionsOf(ctx: RunContext, context: unknown): AiSdkCallOptions {
  return {
    toolCallId: ctx.toolCallId ?? '',
    get messages() {
      // As in the AI SDK: without the response that contains the call, and without system prompts.
      const last = ctx.messages.at(-1);
      const request = last?.kind === 'response' ? ctx.messages.slice(0, -1) : ctx.messages;
      return converter.toPrompt(request, undefined).filter(({ role }) => role !== 'system');
    },
    get abortSignal() {
      return ctx.signal;
    },
    context,
    experimental_context: context,
  };
}
