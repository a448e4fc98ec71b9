import type { ProviderTool } from '../../models/native-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import { type AiSdkTool, isProviderTool } from './ai-sdk-tool.ts';
import {
  checkSharedOptions,
  fromAiSdkProviderTool,
  fromAiSdkTool,
  type FromAiSdkToolOptions,
} from './from-ai-sdk-tool.ts';

/** Tools of the AI SDK as an agent takes them. */
export interface FromAiSdkTools {
  readonly tools: readonly Tool<unknown, unknown>[];
  /** Those that a provider runs itself. */
  readonly nativeTools: readonly ProviderTool[];
}

/**
 * All tools of the AI SDK at once: what `generateText` takes as `tools`.
 *
 * A tool that a provider describes and that has an `execute` is on both lists: the calls to it are
 * executed here.
 *
 * @example
 * const agent = new Agent({ model, ...fromAiSdkTools({ weather, search: openai.tools.webSearch() }) })
 */
export function fromAiSdkTools(
  tools: Readonly<Record<string, AiSdkTool>>,
  options: Omit<FromAiSdkToolOptions, 'name'> = {},
): FromAiSdkTools {
  checkSharedOptions(options);
  const functions: Tool<unknown, unknown>[] = [];
  const natives: ProviderTool[] = [];
  for (const [name, one] of Object.entries(tools)) {
    if (isProviderTool(one)) natives.push(fromAiSdkProviderTool(one, { name }));
    if (!isProviderTool(one) || one.execute !== undefined) {
      functions.push(fromAiSdkTool(one, { ...options, name }));
    }
  }
  return { tools: functions, nativeTools: natives };
}
