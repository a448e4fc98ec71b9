import type { JsonObject, JsonValue } from '../../../internal/json.ts';
import type { NativeTool, NativeToolKind } from '../../native-tool.ts';
import type { ProviderOptions } from '../prompt.ts';
import type { SearchFormat } from './search-format.ts';

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
export type NativeToolOf<Kind extends NativeToolKind> = Extract<
  NativeTool,
  { readonly kind: Kind }
>;

/** The form of one kind of native tool for one provider: a tool in the list, or an option of the call. */
export type NativeForm<Tool> = (ListedToolForm<Tool> | OptionForm<Tool>) & {
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
export function nativeFormOf(
  { forms }: NativeDialect,
  tool: Exclude<NativeTool, { kind: 'provider' }>,
): NativeForm<NativeTool> | undefined {
  if (!Object.hasOwn(forms, tool.kind)) return undefined;
  const form: unknown = forms[tool.kind];
  return form as NativeForm<NativeTool>; // the key is the kind of the tools that it accepts
}
