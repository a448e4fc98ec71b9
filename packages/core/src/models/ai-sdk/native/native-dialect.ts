import type { JsonObject, JsonValue } from '../../../internal/json.ts';
import type { NativeTool, NativeToolKind } from '../../native-tool.ts';
import type { ProviderOptions } from '../prompt.ts';
import type { SearchFormat } from './search-wire.ts';

/** How the native tools of a provider are written for its AI SDK package. */
export interface NativeDialect {
  /** The first part of the ids of the provider's tools; without one it takes none. */
  readonly prefix: string | undefined;
  /** The kinds that the provider has. */
  readonly forms: NativeForms;
  /** What marks a function that is only found by a search, and how searches are told. */
  readonly search?:
    | { readonly deferred: ProviderOptions; readonly format: SearchFormat }
    | undefined;
  /** A result as the provider's client takes it back, where it does not take what it gave. */
  readonly complete?: ((result: JsonValue) => JsonValue) | undefined;
}

/** What each kind of native tool is for one provider. */
export type NativeForms = {
  readonly [Kind in Exclude<NativeToolKind, 'provider'>]?: NativeForm<NativeToolOf<Kind>>;
};

/** The native tool of one kind. */
export type NativeToolOf<Kind extends NativeToolKind> = Extract<
  NativeTool,
  { readonly kind: Kind }
>;

/** What one kind of native tool is for one provider: a tool in the list, or an option of the call. */
export type NativeForm<Tool> = (ListedToolForm<Tool> | OptionForm<Tool>) & {
  /** Options that limit the tool and that the provider has no word for: giving one is an error. */
  readonly unsupportedOptions?: readonly (keyof Tool & string)[];
  /** Which models have the tool; all of them unless said otherwise. */
  readonly models?: (modelId: string) => boolean;
};

interface ListedToolForm<Tool> {
  readonly id: ProviderToolItem['id'];
  /** What the tool is called in calls and results. */
  readonly name: string | ((tool: Tool) => string);
  readonly args?: (tool: Tool) => JsonObject;
  /** Whether a function of this name answers the calls: the provider only describes the tool. */
  readonly executedByFunction?: true;
}

interface OptionForm<Tool> {
  /** An entry for a list among the provider's options. */
  readonly option: (tool: Tool) => ListOption;
}

/** An entry for a list among the options of a provider. */
export interface ListOption {
  readonly provider: string;
  readonly list: string;
  readonly entry: JsonObject;
}

/** A tool of the provider, as the AI SDK offers it to a model. */
export interface ProviderToolItem {
  readonly type: 'provider';
  readonly id: `${string}.${string}`;
  readonly name: string;
  readonly args: JsonObject;
}

/** Whether a model of this provider has a native tool. */
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

/** What a native tool is for a provider, if it has it. */
export function nativeFormOf(
  { forms }: NativeDialect,
  tool: Exclude<NativeTool, { kind: 'provider' }>,
): NativeForm<NativeTool> | undefined {
  if (!Object.hasOwn(forms, tool.kind)) return undefined;
  const form: unknown = forms[tool.kind];
  // It stands under the kind of the tools that it takes, and is only given those.
  return form as NativeForm<NativeTool>;
}
