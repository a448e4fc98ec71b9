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
export {
  handleDeferredToolCalls,
  includeReturnSchemas,
  nativeTool,
  prefixTools,
  prepareTools,
  processHistory,
  setToolMetadata,
  toolSearch,
} from '../capabilities/provided.ts';
export { isDeferral } from '../outcomes/outcome.ts';
export { keywordsSearch, type SearchableTool } from '../toolsets/tool-search/keywords-search.ts';
export type { ToolSearchOptions } from '../toolsets/tool-search/tool-search-toolset.ts';
