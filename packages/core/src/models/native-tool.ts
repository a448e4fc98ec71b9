import type { JsonObject } from '../internal/json.ts';

/**
 * A tool that the provider of a model executes, such as its web search. It is plain data, which is converted to
 * the format of each provider.
 *
 * @example
 * new Agent({ model, nativeTools: [{ kind: 'web-search', maxUses: 3 }] })
 */
export type NativeTool = (
  | WebSearchTool
  | WebFetchTool
  | CodeExecutionTool
  | ImageGenerationTool
  | FileSearchTool
  | MemoryTool
  | McpServerTool
  | NativeToolSearch
  | ProviderTool
) & {
  /** True if the run continues without the tool when the model does not support it. Otherwise that is an error. */
  readonly optional?: boolean | undefined;
};

/** A search of the web. */
export interface WebSearchTool {
  readonly kind: 'web-search';
  /** The amount of search results that the model receives. */
  readonly contextSize?: 'low' | 'medium' | 'high' | undefined;
  /** The location of the user, for results that are nearby. */
  readonly userLocation?:
    | {
        readonly city?: string | undefined;
        readonly region?: string | undefined;
        readonly country?: string | undefined;
        readonly timezone?: string | undefined;
      }
    | undefined;
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
  /** The maximum number of searches. */
  readonly maxUses?: number | undefined;
}

/** A reader of web pages. */
export interface WebFetchTool {
  readonly kind: 'web-fetch';
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
  /** The maximum number of pages. */
  readonly maxUses?: number | undefined;
}

/** A sandbox of the provider that executes code. */
export interface CodeExecutionTool {
  readonly kind: 'code-execution';
}

/** A generator of images. */
export interface ImageGenerationTool {
  readonly kind: 'image-generation';
  readonly quality?: 'low' | 'medium' | 'high' | undefined;
  readonly size?: string | undefined;
  readonly outputFormat?: 'png' | 'jpeg' | 'webp' | undefined;
}

/** A search of files that were uploaded to the provider. */
export interface FileSearchTool {
  readonly kind: 'file-search';
  /** The provider's ids of the stores to search. */
  readonly storeIds: readonly string[];
  readonly maxResults?: number | undefined;
}

/** A memory across conversations. */
export interface MemoryTool {
  readonly kind: 'memory';
}

/**
 * Tools of an MCP server that the provider connects to. The provider executes the calls, so they do not pass the
 * gate.
 */
export interface McpServerTool {
  readonly kind: 'mcp-server';
  readonly id: string;
  readonly url: string;
  readonly description?: string | undefined;
  readonly authorizationToken?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The tools that may be used. Defaults to all. */
  readonly allowedTools?: readonly string[] | undefined;
}

/** A search of the tools with `deferLoading`. A run adds it if the model supports it. */
export interface NativeToolSearch {
  readonly kind: 'tool-search';
}

/** Any other tool of a provider, in the format of its AI SDK package. */
export interface ProviderTool {
  readonly kind: 'provider';
  /** The names of the provider and the tool, such as `openai.local_shell`. */
  readonly id: `${string}.${string}`;
  /** The name of the tool in calls and results. */
  readonly name: string;
  readonly args?: JsonObject | undefined;
}

/** The kinds of native tools. */
export type NativeToolKind = NativeTool['kind'];

/** The key of a native tool in `unlessNative` and `withNative` of function tools. */
export type NativeToolKey =
  | Exclude<NativeToolKind, 'mcp-server' | 'provider'>
  | `mcp-server:${string}`
  | `provider:${string}`;

/**
 * Returns the key of a native tool for `unlessNative` and `withNative`: its kind, with the id for kinds that can
 * occur several times.
 */
export function nativeToolKey(tool: NativeTool): NativeToolKey {
  return tool.kind === 'mcp-server' || tool.kind === 'provider'
    ? `${tool.kind}:${tool.id}`
    : tool.kind;
}
