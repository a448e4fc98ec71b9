import type { JsonObject } from '../internal/json.ts';

/**
 * A tool that the provider of a model runs itself, such as its web search. Plain data: each provider
 * has its own form of it.
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
  /** Whether the run goes on without it where the model does not have it; otherwise that is an error. */
  readonly optional?: boolean | undefined;
};

/** Searches the web. */
export interface WebSearchTool {
  readonly kind: 'web-search';
  /** How much of what was found the model is given. */
  readonly contextSize?: 'low' | 'medium' | 'high' | undefined;
  /** Where the user is, so that what is near is found first. */
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
  /** How often the model may search. */
  readonly maxUses?: number | undefined;
}

/** Reads pages of the web. */
export interface WebFetchTool {
  readonly kind: 'web-fetch';
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
  /** How often the model may fetch. */
  readonly maxUses?: number | undefined;
}

/** Runs code in a sandbox of the provider. */
export interface CodeExecutionTool {
  readonly kind: 'code-execution';
}

/** Draws images. */
export interface ImageGenerationTool {
  readonly kind: 'image-generation';
  readonly quality?: 'low' | 'medium' | 'high' | undefined;
  readonly size?: string | undefined;
  readonly outputFormat?: 'png' | 'jpeg' | 'webp' | undefined;
}

/** Searches files that were uploaded to the provider. */
export interface FileSearchTool {
  readonly kind: 'file-search';
  /** The stores to search in, as the provider names them. */
  readonly storeIds: readonly string[];
  readonly maxResults?: number | undefined;
}

/** Remembers things across conversations. */
export interface MemoryTool {
  readonly kind: 'memory';
}

/**
 * Tools of an MCP server that the provider talks to itself. Its calls run at the provider: no gate
 * of ours sees them.
 */
export interface McpServerTool {
  readonly kind: 'mcp-server';
  readonly id: string;
  readonly url: string;
  readonly description?: string | undefined;
  readonly authorizationToken?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The tools that may be used; all of them unless said otherwise. */
  readonly allowedTools?: readonly string[] | undefined;
}

/** Searches among the tools with `deferLoading`. A run adds it by itself where the model has it. */
export interface NativeToolSearch {
  readonly kind: 'tool-search';
}

/** Any other tool of a provider, in the words of its AI SDK package. */
export interface ProviderTool {
  readonly kind: 'provider';
  /** The provider's name and the tool's, such as `openai.local_shell`. */
  readonly id: `${string}.${string}`;
  /** What the tool is called in calls and results. */
  readonly name: string;
  readonly args?: JsonObject | undefined;
}

/** The kinds of native tools. */
export type NativeToolKind = NativeTool['kind'];

/** What a native tool is called where functions stand in for it. */
export type NativeToolKey =
  | Exclude<NativeToolKind, 'mcp-server' | 'provider'>
  | `mcp-server:${string}`
  | `provider:${string}`;

/**
 * What a native tool is called where functions stand in for it (`unlessNative`, `withNative`): its
 * kind, with the id where there can be several.
 */
export function nativeToolKey(tool: NativeTool): NativeToolKey {
  return tool.kind === 'mcp-server' || tool.kind === 'provider'
    ? `${tool.kind}:${tool.id}`
    : tool.kind;
}
