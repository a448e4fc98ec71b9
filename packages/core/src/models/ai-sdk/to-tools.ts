import type { ModelCall } from '../model.ts';
import type { ToolDefinition } from '../tool-definition.ts';
import type { ListOption, NativeDialect, ProviderToolItem } from './native/native-dialect.ts';
import { toProviderTools } from './native/to-provider-tools.ts';
import type { ProviderOptions } from './prompt.ts';

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
export interface OfferedTools {
  readonly tools: readonly (SdkFunctionTool | ProviderToolItem)[];
  /** Native tools that are options of the call. */
  readonly options: readonly ListOption[];
  /** True if the provider searches for tools. */
  readonly searches: boolean;
}

/** The lists of tools of a call. */
type ToolLists = Pick<ModelCall, 'functionTools' | 'outputTools' | 'nativeTools'>;

/** Converts tools to the format of the AI SDK, once for the same lists. */
export class ToolConverter {
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
