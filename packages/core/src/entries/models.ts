/** Types to implement a `Model`, native tools of providers, and model wrappers. */

export type { NativeToolSource } from '../context/run-context.ts';
export { isAiSdkModel } from '../models/ai-sdk/ai-sdk-model.ts';
export type {
  LanguageModel,
  LanguageModelResult,
  LanguageModelCallOptions,
  LanguageModelEnd,
  LanguageModelResponseMetadata,
  LanguageModelStream,
  LanguageModelUsage,
} from '../models/ai-sdk/language-model.ts';
export type { FallbackOptions } from '../models/fallback-model.ts';
export { inferModel } from '../models/infer-model.ts';
export type {
  ArgsDelta,
  ModelCall,
  ModelResponseData,
  ModelStreamEvent,
  OutputSchema,
  PartDelta,
  PartDone,
  PartStart,
  StreamFinish,
  TextDelta,
  ThinkingDelta,
} from '../models/model.ts';
export {
  type CodeExecutionTool,
  type FileSearchTool,
  type ImageGenerationTool,
  type McpServerTool,
  type MemoryTool,
  type NativeTool,
  type NativeToolKey,
  nativeToolKey,
  type NativeToolKind,
  type NativeToolSearch,
  type ProviderTool,
  type WebFetchTool,
  type WebSearchTool,
} from '../models/native-tool.ts';
export type { JsonSchema } from '../models/tool-definition.ts';
export { WrapperModel } from '../models/wrapper-model.ts';
