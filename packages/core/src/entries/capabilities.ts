/** Capabilities that come with the package, and the types to write your own. */

export type { SettingsSource } from '../capabilities/capability.ts';
export type {
  HistoryFunction,
  HistoryProcessor,
  NewMessagesProcessor,
} from '../capabilities/history-processor.ts';
export type {
  ArgsValidation,
  CallToExecute,
  CallToValidate,
  CapabilityHooks,
} from '../capabilities/hooks.ts';
export { handleDeferredToolCalls } from '../provided/handle-deferred-tool-calls.ts';
export { includeReturnSchemas } from '../provided/include-return-schemas.ts';
export { nativeTool } from '../provided/native-tool.ts';
export { prefixTools } from '../provided/prefix-tools.ts';
export { prepareTools } from '../provided/prepare-tools.ts';
export { processHistory } from '../provided/process-history.ts';
export { setToolMetadata } from '../provided/set-tool-metadata.ts';
export { toolSearch } from '../provided/tool-search.ts';
export { keywordsSearch, type SearchableTool } from '../toolsets/tool-search/keywords-search.ts';
export type { ToolSearchOptions } from '../toolsets/tool-search/tool-search-toolset.ts';
