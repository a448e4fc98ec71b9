import { isPlainObject, type JsonObject, type JsonValue } from '../../../internal/json.ts';
import type { McpServerTool, WebFetchTool, WebSearchTool } from '../../native-tool.ts';
import { definedFields } from '../../settings.ts';
import type { NativeDialect, NativeForms } from './native-dialect.ts';
import { anthropicSearch, openAiSearch } from './search-parts.ts';

/*
 * The native tools of each provider, with their ids and options. If a provider does not support an option, the
 * option is omitted (such as the location of the user), or rejected if it limits the tool.
 * docs/native-tools.md shows the same as a table.
 */

const OPENAI: NativeForms = {
  'web-search': {
    id: 'openai.web_search',
    name: 'web_search',
    unsupportedOptions: ['maxUses'],
    args: (tool) =>
      args({
        searchContextSize: tool.contextSize,
        userLocation: locationOf(tool),
        filters: domainsOf(tool),
      }),
  },
  'code-execution': { id: 'openai.code_interpreter', name: 'code_execution' },
  'image-generation': {
    id: 'openai.image_generation',
    name: 'image_generation',
    args: ({ quality, size, outputFormat }) => args({ quality, size, outputFormat }),
  },
  'file-search': {
    id: 'openai.file_search',
    name: 'file_search',
    args: ({ storeIds, maxResults }) =>
      args({ vectorStoreIds: storeIds, maxNumResults: maxResults }),
  },
};

const OPENAI_DIRECT: NativeForms = {
  ...OPENAI,
  'mcp-server': {
    id: 'openai.mcp',
    name: nameOfServer,
    // A run cannot decide approval requests of the provider.
    args: (server) => ({ ...serverArgs(server), requireApproval: 'never' }),
  },
  'tool-search': {
    id: 'openai.tool_search',
    name: 'tool_search',
    models: (modelId) => isAtLeast(/^gpt-(\d+)(?:\.(\d+))?/.exec(modelId), 5, 4),
  },
};

const ANTHROPIC_ANYWHERE: NativeForms = {
  'web-search': {
    id: 'anthropic.web_search_20250305',
    name: 'web_search',
    args: (tool) =>
      args({ maxUses: tool.maxUses, ...domainsOf(tool), userLocation: locationOf(tool) }),
  },
  'tool-search': {
    id: 'anthropic.tool_search_bm25_20251119',
    name: 'tool_search_tool_bm25',
    models: (modelId) => !/claude-(?:instant|v?[23]|(?:opus|sonnet)-4$)/.test(familyOf(modelId)),
  },
};

const ANTHROPIC_DIRECT: NativeForms = {
  ...ANTHROPIC_ANYWHERE,
  'web-fetch': {
    id: 'anthropic.web_fetch_20250910',
    name: 'web_fetch',
    args: (tool) => args({ maxUses: tool.maxUses, ...domainsOf(tool) }),
  },
  'code-execution': { id: 'anthropic.code_execution_20250825', name: 'code_execution' },
  memory: { id: 'anthropic.memory_20250818', name: 'memory', executedByFunction: true },
  'mcp-server': {
    unsupportedOptions: ['headers'],
    option: (server) => ({
      provider: 'anthropic',
      list: 'mcpServers',
      entry: args({
        type: 'url',
        name: server.id,
        url: server.url,
        authorizationToken: server.authorizationToken,
        toolConfiguration: server.allowedTools && {
          enabled: true,
          allowedTools: server.allowedTools,
        },
      }),
    }),
  },
};

/** Returns true for Google models that accept functions and native tools in one request. */
const isGemini3 = (modelId: string): boolean =>
  /(?:^|[/.])gemini-(?![12](?:[.-]|$))/.test(modelId) && !/gemini-pro(?:$|-vision)/.test(modelId);

const GOOGLE: NativeForms = {
  'web-search': {
    id: 'google.google_search',
    name: 'web_search',
    unsupportedOptions: ['allowedDomains', 'blockedDomains', 'maxUses'],
    models: isGemini3,
  },
  'web-fetch': {
    id: 'google.url_context',
    name: 'web_fetch',
    unsupportedOptions: ['allowedDomains', 'blockedDomains', 'maxUses'],
    models: isGemini3,
  },
  'code-execution': { id: 'google.code_execution', name: 'code_execution', models: isGemini3 },
};

const GOOGLE_DIRECT: NativeForms = {
  ...GOOGLE,
  'file-search': {
    id: 'google.file_search',
    name: 'file_search',
    models: isGemini3,
    args: ({ storeIds, maxResults }) => args({ fileSearchStoreNames: storeIds, topK: maxResults }),
  },
};

const XAI: NativeForms = {
  'web-search': {
    id: 'xai.web_search',
    name: 'web_search',
    unsupportedOptions: ['maxUses'],
    args: ({ allowedDomains, blockedDomains }) =>
      args({ allowedDomains, excludedDomains: blockedDomains }),
  },
  'code-execution': { id: 'xai.code_execution', name: 'code_execution' },
  'image-generation': { id: 'xai.image_generation', name: 'image_generation' },
  'file-search': {
    id: 'xai.file_search',
    name: 'file_search',
    args: ({ storeIds, maxResults }) =>
      args({ vectorStoreIds: storeIds, maxNumResults: maxResults }),
  },
  'mcp-server': { id: 'xai.mcp', name: nameOfServer, args: serverArgs },
};

const GROQ: NativeForms = {
  'web-search': {
    id: 'groq.browser_search',
    name: 'web_search',
    unsupportedOptions: ['allowedDomains', 'blockedDomains', 'maxUses'],
    models: (modelId) => modelId.startsWith('openai/gpt-oss-'),
  },
};

const openAiDeferred = { deferred: { openai: { deferLoading: true } }, format: openAiSearch };
const anthropic = {
  prefix: 'anthropic',
  search: { deferred: { anthropic: { deferLoading: true } }, format: anthropicSearch },
  complete: completeAnthropicResult,
};
const NOTHING: NativeDialect = { prefix: undefined, forms: {} };

/** The native tools of each interface, by its name in the AI SDK. */
const DIALECTS: ReadonlyMap<string, NativeDialect> = new Map<string, NativeDialect>([
  ['openai.responses', { prefix: 'openai', forms: OPENAI_DIRECT, search: openAiDeferred }],
  ['openai.chat', NOTHING],
  ['openai.completion', NOTHING],
  ['azure.responses', { prefix: 'openai', forms: OPENAI }],
  ['azure.chat', NOTHING],
  ['azure.completion', NOTHING],
  ['anthropic.messages', { ...anthropic, forms: ANTHROPIC_DIRECT }],
  ['googleVertex.anthropic.messages', { ...anthropic, forms: ANTHROPIC_ANYWHERE }],
  ['google.generative-ai', { prefix: 'google', forms: GOOGLE_DIRECT }],
  ['google.vertex.chat', { prefix: 'google', forms: GOOGLE }],
  ['xai.responses', { prefix: 'xai', forms: XAI }],
  ['groq.chat', { prefix: 'groq', forms: GROQ }],
]);

/** Returns the native tools of an interface. An unknown one accepts tools whose id has its prefix. */
export function nativeDialectOf(provider: string): NativeDialect {
  return DIALECTS.get(provider) ?? { prefix: provider.split('.')[0], forms: {} };
}

/** The name of the interface in the AI SDK, by the provider name of `provider:model`. */
export const INTERFACES: ReadonlyMap<string, string> = new Map([
  ['anthropic', 'anthropic.messages'],
  ['azure', 'azure.responses'],
  ['google', 'google.generative-ai'],
  ['google-vertex', 'google.vertex.chat'],
  ['groq', 'groq.chat'],
  ['openai', 'openai.responses'],
  ['openai-chat', 'openai.chat'],
  ['openai-responses', 'openai.responses'],
  ['xai', 'xai.responses'],
]);

function locationOf({ userLocation }: WebSearchTool): JsonObject | undefined {
  return userLocation && args({ type: 'approximate', ...userLocation });
}

function domainsOf({ allowedDomains, blockedDomains }: WebSearchTool | WebFetchTool) {
  return allowedDomains === undefined && blockedDomains === undefined
    ? undefined
    : args({ allowedDomains, blockedDomains });
}

function nameOfServer({ id }: McpServerTool): string {
  return `mcp_server:${id}`;
}

function serverArgs(server: McpServerTool): JsonObject {
  return args({
    serverLabel: server.id,
    serverUrl: server.url,
    serverDescription: server.description,
    authorization: server.authorizationToken,
    headers: server.headers,
    allowedTools: server.allowedTools,
  });
}

/** Omits arguments that are `undefined`. */
function args(values: { readonly [name: string]: JsonObject[string] | undefined }): JsonObject {
  return definedFields(values) as JsonObject; // no member is undefined
}

function isAtLeast(version: RegExpExecArray | null, major: number, minor: number): boolean {
  if (version === null) return false;
  const [actualMajor, actualMinor] = [Number(version[1]), Number(version[2] ?? 0)];
  return actualMajor > major || (actualMajor === major && actualMinor >= minor);
}

/** Removes the date and minor versions before 4.5: `claude-opus-4-1-20250805` becomes `claude-opus-4`. */
function familyOf(modelId: string): string {
  return modelId.replace(/[-@]\d{8}$/, '').replace(/-4-[01]$/, '-4');
}

/**
 * Adds the title that the Anthropic package requires in results that are sent back.
 *
 * The package (4.0.102) omits a missing title in a response and rejects a history without it.
 */
function completeAnthropicResult(result: JsonValue): JsonValue {
  if (!Array.isArray(result)) return result;
  // `Array.isArray` widens readonly arrays to `any[]`.
  return (result as readonly JsonValue[]).map((found) =>
    isPlainObject(found) && found['type'] === 'web_search_result'
      ? { title: null, ...found }
      : found,
  ) as JsonValue; // the same JSON with one more member
}
