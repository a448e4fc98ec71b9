/** Capabilities that come with the package, and the types to write your own. */

export type {
  ArgsValidation,
  CallToExecute,
  CallToValidate,
  CapabilityHooks,
  SettingsSource,
} from '../capabilities/capability.ts';
export type {
  HistoryFunction,
  HistoryProcessor,
  NewMessagesProcessor,
} from '../capabilities/history-processor.ts';
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
export {
  keywordsSearch,
  type SearchableTool,
  type ToolSearchOptions,
} from '../toolsets/tool-search.ts';
