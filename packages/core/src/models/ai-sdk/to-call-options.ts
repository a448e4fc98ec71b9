import type { JsonObject, JsonValue } from '../../internal/json.ts';
import { snapshotOf } from '../call-snapshot.ts';
import type { ModelCall } from '../model.ts';
import type { ModelSettings } from '../settings.ts';
import type { LanguageModel, LanguageModelCallOptions } from './language-model.ts';
import type { ListOption, NativeDialect } from './native/native-dialect.ts';
import type { ProviderOptions } from './prompt.ts';
import { v3Files, v4Files } from './to-file.ts';
import { PromptConverter } from './to-prompt.ts';
import { ToolConverter } from './to-tools.ts';

/** Converts model calls to call options of the AI SDK. It caches parts that stay the same between steps. */
export class CallConverter {
  readonly #version: LanguageModel['specificationVersion'];
  readonly #tools: ToolConverter;
  readonly #prompts: PromptConverter;
  /** Converts prompts of calls with the provider's tool search, which accept earlier searches. */
  readonly #searchPrompts: PromptConverter;

  constructor(model: {
    readonly version: LanguageModel['specificationVersion'];
    readonly system: string;
    readonly dialect: NativeDialect;
  }) {
    const { version, system, dialect } = model;
    this.#version = version;
    this.#tools = new ToolConverter(dialect);
    const files = version === 'v3' ? v3Files : v4Files;
    const { prefix, complete } = dialect;
    const native = { system, takesNative: prefix !== undefined, search: undefined, complete };
    this.#prompts = new PromptConverter({ files, native });
    this.#searchPrompts = new PromptConverter({
      files,
      native: { ...native, search: dialect.search?.format },
    });
  }

  toCallOptions(call: ModelCall): LanguageModelCallOptions {
    const { tools, options, searches } = this.#tools.toTools(call);
    const prompts = searches ? this.#searchPrompts : this.#prompts;
    const { reasoning, ...settings } = fromSettings(call.settings);
    return {
      ...settings,
      ...(reasoning !== undefined && this.#version === 'v4' && { reasoning }),
      ...(tools.length > 0 && { tools, ...toolChoiceOf(call) }),
      ...responseFormatOf(call),
      ...providerOptionsFor(call, options),
      prompt: prompts.toPrompt(call.messages, call.instructions, snapshotOf(call)),
      abortSignal: call.signal,
    };
  }
}

function toolChoiceOf(call: ModelCall): Pick<LanguageModelCallOptions, 'toolChoice'> {
  const { allowText, outputSchema, settings } = call;
  const mustCall = !allowText && outputSchema === undefined;
  const type = settings?.toolChoice ?? (mustCall ? 'required' : undefined);
  return type === undefined ? {} : { toolChoice: { type } };
}

function responseFormatOf({
  outputSchema,
}: ModelCall): Pick<LanguageModelCallOptions, 'responseFormat'> {
  if (outputSchema === undefined) return {};
  const { name, description, schema } = outputSchema;
  const about = description === undefined ? {} : { description };
  const responseFormat = { type: 'json', schema, name, ...about } as const;
  return { responseFormat };
}

/** Collects the options of single providers: those of the settings, strict output, and native tools. */
function providerOptionsFor(
  { outputSchema, settings }: ModelCall,
  natives: readonly ListOption[],
): Pick<LanguageModelCallOptions, 'providerOptions'> {
  let options: ProviderOptions | undefined = settings?.providerOptions;
  if (outputSchema?.strict !== undefined) {
    // The specification has no option for strict output, only OpenAI has.
    const openai = { strictJsonSchema: outputSchema.strict, ...options?.['openai'] };
    options = { ...options, openai };
  }
  for (const { provider, list, entry } of natives) {
    const before: JsonObject = options?.[provider] ?? {};
    const entries = [...itemsOf(before[list]), entry];
    options = { ...options, [provider]: { ...before, [list]: entries } };
  }
  return options === undefined ? {} : { providerOptions: options };
}

function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function fromSettings(settings: ModelSettings = {}): Omit<LanguageModelCallOptions, 'prompt'> {
  const { maxTokens, toolChoice: _, providerOptions: __, ...same } = settings;
  return maxTokens === undefined ? same : { ...same, maxOutputTokens: maxTokens };
}
