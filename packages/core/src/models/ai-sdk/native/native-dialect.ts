import { UserError } from '../../../errors/user-errors.ts';
import type { JsonObject, JsonValue } from '../../../internal/json.ts';
import type { ModelResponse } from '../../../messages/message.ts';
import type { NativeToolCallPart, NativeToolReturnPart } from '../../../messages/response-part.ts';
import type { NativeTool, NativeToolKind } from '../../native-tool.ts';
import type { ProviderOptions } from '../prompt.ts';
import type { SearchFormat } from './search-parts.ts';

/** The format of a provider's native tools in its AI SDK package. */
export interface NativeDialect {
  /** The first part of the ids of the provider's tools. Without it the provider has no native tools. */
  readonly prefix: string | undefined;
  /** The kinds of native tools that the provider supports. */
  readonly forms: NativeForms;
  /** The options of a function that only a search finds, and the format of searches. */
  readonly search?:
    | { readonly deferred: ProviderOptions; readonly format: SearchFormat }
    | undefined;
  /** Completes a result that is sent back, if the provider's package does not accept it unchanged. */
  readonly complete?: ((result: JsonValue) => JsonValue) | undefined;
}

/** The form of each kind of native tool for one provider. */
export type NativeForms = {
  readonly [Kind in Exclude<NativeToolKind, 'provider'>]?: NativeForm<NativeToolOf<Kind>>;
};

/** The native tool of one kind. */
type NativeToolOf<Kind extends NativeToolKind> = Extract<NativeTool, { readonly kind: Kind }>;

/** The form of one kind of native tool for one provider: a tool in the list, or an option of the call. */
type NativeForm<Tool> = (ListedToolForm<Tool> | OptionForm<Tool>) & {
  /** Options that limit the tool and that the provider does not support. Passing one is an error. */
  readonly unsupportedOptions?: readonly (keyof Tool & string)[];
  /** Returns true if a model supports the tool. Defaults to all models. */
  readonly models?: (modelId: string) => boolean;
};

interface ListedToolForm<Tool> {
  readonly id: ProviderToolItem['id'];
  /** The name of the tool in calls and results. */
  readonly name: string | ((tool: Tool) => string);
  readonly args?: (tool: Tool) => JsonObject;
  /** True if the provider only describes the tool and a function of this name executes the calls. */
  readonly executedByFunction?: true;
}

interface OptionForm<Tool> {
  /** Returns an entry for a list in the provider's options. */
  readonly option: (tool: Tool) => ListOption;
}

/** An entry for a list in the options of a provider. */
export interface ListOption {
  readonly provider: string;
  readonly list: string;
  readonly entry: JsonObject;
}

/** A native tool in the format of the AI SDK. */
export interface ProviderToolItem {
  readonly type: 'provider';
  readonly id: `${string}.${string}`;
  readonly name: string;
  readonly args: JsonObject;
}

/** Returns true if a model of the provider supports a native tool. */
export function dialectSupports(
  dialect: NativeDialect,
  modelId: string,
  tool: NativeTool,
): boolean {
  if (tool.kind === 'provider') {
    return dialect.prefix !== undefined && tool.id.startsWith(`${dialect.prefix}.`);
  }
  const form = nativeFormOf(dialect, tool);
  return form !== undefined && (form.models?.(modelId) ?? true);
}

/** Returns the form of a native tool, or `undefined` if the provider does not support it. */
function nativeFormOf(
  { forms }: NativeDialect,
  tool: Exclude<NativeTool, { kind: 'provider' }>,
): NativeForm<NativeTool> | undefined {
  if (!Object.hasOwn(forms, tool.kind)) return undefined;
  const form: unknown = forms[tool.kind];
  return form as NativeForm<NativeTool>; // the key is the kind of the tools that it accepts
}

/** The parts of native tools that can be sent back to a model. */
export interface NativeReader {
  /** The name of the model's provider. */
  readonly system: string;
  /** True if the interface of the provider has native tools. */
  readonly takesNative: boolean;
  /** The format of the provider's tool search, if this call includes it. */
  readonly search: SearchFormat | undefined;
  /** Completes a result that is sent back, if the provider's package does not accept it unchanged. */
  readonly complete?: ((result: JsonValue) => JsonValue) | undefined;
}

/** A call or a result of a native tool. */
export type NativePart = NativeToolCallPart | NativeToolReturnPart;

/** Returns true if a part belongs to a search for tools. */
export function isSearchPart({ toolKind }: NativePart): boolean {
  return toolKind === 'tool-search';
}

/**
 * Returns true if a part can be sent back to the provider of a model.
 *
 * Parts of other providers cannot. A part with its own provider name cannot either, because it is from Pydantic
 * AI, which stores parts in another format. Only searches for tools have a common format.
 */
export function canSendBack(
  part: NativePart,
  response: ModelResponse,
  reader: NativeReader,
): boolean {
  const { system, takesNative, search } = reader;
  if (!takesNative) return false;
  const isFromHere = (part.providerName ?? response.providerName ?? system) === system;
  if (isSearchPart(part)) return isFromHere && search !== undefined;
  return isFromHere && part.providerName === undefined;
}

/** The native tools of a call to the AI SDK. */
interface OfferedNatives {
  readonly tools: readonly ProviderToolItem[];
  /** Names of functions that the provider describes, so that their definitions are not sent. */
  readonly described: ReadonlySet<string>;
  /** Native tools that are options of the call. */
  readonly options: readonly ListOption[];
  /** The options of functions that only a search finds. `undefined` without a search. */
  readonly deferred: ProviderOptions | undefined;
}

const NO_NATIVE_TOOLS: OfferedNatives = {
  tools: [],
  described: new Set(),
  options: [],
  deferred: undefined,
};

/** Converts native tools to the format of the provider's AI SDK package. */
export function toProviderTools(
  natives: readonly NativeTool[],
  dialect: NativeDialect,
  functionNames: ReadonlySet<string>,
): OfferedNatives {
  if (natives.length === 0) return NO_NATIVE_TOOLS;
  const tools: ProviderToolItem[] = [];
  const described = new Set<string>();
  const options: ListOption[] = [];
  for (const native of natives) {
    if (native.kind === 'provider') {
      const { id, name, args = {} } = native;
      tools.push({ type: 'provider', id, name, args });
      // The provider only describes some tools, and a function of the same name executes the calls.
      if (functionNames.has(name)) described.add(name);
      continue;
    }
    const form = usableForm(native, dialect);
    if ('option' in form) {
      options.push(form.option(native));
      continue;
    }
    const name = typeof form.name === 'string' ? form.name : form.name(native);
    tools.push({ type: 'provider', id: form.id, name, args: form.args?.(native) ?? {} });
    if (form.executedByFunction) described.add(name);
  }
  checkNames(tools, described, functionNames);
  const searches = natives.some(({ kind }) => kind === 'tool-search');
  return { tools, described, options, deferred: searches ? dialect.search?.deferred : undefined };
}

function usableForm(
  native: Exclude<NativeTool, { kind: 'provider' }>,
  dialect: NativeDialect,
): NativeForm<NativeTool> {
  const form = nativeFormOf(dialect, native);
  if (form === undefined) {
    throw new UserError(
      `The model does not support the native tool \`${native.kind}\`. Use \`supportsNative\` of the model to find out.`,
    );
  }
  const given = new Map<string, unknown>(Object.entries(native));
  const unsupported = form.unsupportedOptions?.find((option) => given.get(option) !== undefined);
  if (unsupported !== undefined) {
    const owner = dialect.prefix ?? 'this provider';
    throw new UserError(
      `The native tool \`${native.kind}\` of ${owner} does not support \`${unsupported}\`, so the limit would have ` +
        'no effect. Remove the option for this model, or use a function that enforces it.',
    );
  }
  return form;
}

function checkNames(
  tools: readonly ProviderToolItem[],
  described: ReadonlySet<string>,
  functionNames: ReadonlySet<string>,
): void {
  for (const { id, name } of tools) {
    if (described.has(name)) {
      if (functionNames.has(name)) continue;
      throw new UserError(
        `The provider only describes the native tool \`${name}\`, and a function executes its calls. ` +
          `Add a tool named \`${name}\` to the agent.`,
      );
    }
    if (functionNames.has(name)) {
      throw new UserError(
        `A tool of the agent and the native tool \`${id}\` have the same name \`${name}\`. Rename the tool, or set ` +
          'its `unlessNative`, so that it is used only if the native tool is missing.',
      );
    }
  }
}
