export type { AiSdkCallOptions, AiSdkTool } from './ai-sdk-tool.ts';
export {
  fromAiSdkProviderTool,
  fromAiSdkTool,
  type FromAiSdkToolOptions,
} from './from-ai-sdk-tool.ts';
export { type FromAiSdkTools, fromAiSdkTools } from './from-ai-sdk-tools.ts';
export {
  type AiSdkToolsArguments,
  type PassThroughSchema,
  type GatedAiSdkTool,
  toAiSdkTools,
  type ToAiSdkToolsOptions,
} from './to-ai-sdk-tools.ts';
