import type { JsonObject, JsonValue } from '../../internal/json.ts';
import { type ModelCall, snapshotOf } from '../model.ts';
import type { ModelSettings } from '../settings.ts';
import type { ToolDefinition } from '../tool-definition.ts';
import type { LanguageModel, LanguageModelCallOptions } from './language-model.ts';
import {
  type ListOption,
  type NativeDialect,
  type ProviderToolItem,
  toProviderTools,
} from './native/native-dialect.ts';
import type { ProviderOptions } from './prompt.ts';
import { v3Files, v4Files } from './to-file.ts';
import { PromptConverter } from './to-prompt.ts';

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

/** A function tool in the format of the AI SDK. */
interface SdkFunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly inputSchema: ToolDefinition['parametersJsonSchema'];
  readonly description?: string;
  readonly strict?: boolean;
  readonly providerOptions?: ProviderOptions;
}

/** The tools of a call in the format of the AI SDK. */
interface OfferedTools {
  readonly tools: readonly (SdkFunctionTool | ProviderToolItem)[];
  /** Native tools that are options of the call. */
  readonly options: readonly ListOption[];
  /** True if the provider searches for tools. */
  readonly searches: boolean;
}

/** The lists of tools of a call. */
type ToolLists = Pick<ModelCall, 'functionTools' | 'outputTools' | 'nativeTools'>;

/** Converts tools to the format of the AI SDK, once for the same lists. */
class ToolConverter {
  readonly #dialect: NativeDialect;
  readonly #known = new WeakMap<ModelCall['functionTools'], ToolLists & OfferedTools>();

  constructor(dialect: NativeDialect) {
    this.#dialect = dialect;
  }

  toTools({ functionTools, outputTools, nativeTools }: ToolLists): OfferedTools {
    const known = this.#known.get(functionTools);
    if (known?.outputTools === outputTools && known.nativeTools === nativeTools) return known;
    const lists = { functionTools, outputTools, nativeTools };
    const offered = { ...lists, ...this.#convert(lists) };
    this.#known.set(functionTools, offered);
    return offered;
  }

  #convert({ functionTools, outputTools, nativeTools }: ToolLists): OfferedTools {
    const functions = [...functionTools, ...outputTools];
    const names = new Set(functions.map(({ name }) => name));
    const native = toProviderTools(nativeTools, this.#dialect, names);
    const offered = functions.filter(({ name }) => !native.described.has(name));
    return {
      tools: [...native.tools, ...offered.map((one) => toFunctionTool(one, native.deferred))],
      options: native.options,
      searches: native.deferred !== undefined,
    };
  }
}

function toFunctionTool(
  definition: ToolDefinition,
  deferred: ProviderOptions | undefined,
): SdkFunctionTool {
  const { name, parametersJsonSchema: inputSchema, strict, deferLoading } = definition;
  const description = descriptionOf(definition);
  return {
    type: 'function',
    name,
    inputSchema,
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
    ...(deferLoading && deferred && { providerOptions: deferred }),
  };
}

/** Returns the description, with the return schema if the model should receive it. */
function descriptionOf(definition: ToolDefinition): string | undefined {
  const { description, returnSchema, includeReturnSchema } = definition;
  if (includeReturnSchema !== true || returnSchema === undefined) return description;
  const returns = `Returns JSON of this schema: ${JSON.stringify(returnSchema)}`;
  return description === undefined ? returns : `${description}\n\n${returns}`;
}
