export type { AiSdkCallOptions, AiSdkTool } from './ai-sdk-tool.ts';
export {
  fromAiSdkProviderTool,
  fromAiSdkTool,
  type FromAiSdkToolOptions,
  type FromAiSdkTools,
  fromAiSdkTools,
} from './from-ai-sdk-tools.ts';
export {
  type AiSdkToolsArguments,
  type GatedAiSdkTool,
  type PassThroughSchema,
  toAiSdkTools,
  type ToAiSdkToolsOptions,
} from './to-ai-sdk-tools.ts';
