import type { RunContext } from '../../context/run-context.ts';
import { v4Files } from '../../models/ai-sdk/to-file.ts';
import { PromptConverter } from '../../models/ai-sdk/to-prompt.ts';
import type { AiSdkCallOptions } from './ai-sdk-tool.ts';

/** Makes messages of the AI SDK; what one provider said to itself stays out of them. */
const messages = new PromptConverter({
  files: v4Files,
  native: { system: '', takesNative: false, search: undefined },
});

/** What a tool of the AI SDK is told about a call. Most tools never look, so it is made when they do. */
export function callOptionsOf(ctx: RunContext, context: unknown): AiSdkCallOptions {
  return {
    toolCallId: ctx.toolCallId ?? '',
    get messages() {
      const last = ctx.messages.at(-1);
      // The response with the call itself is not among them, and neither are system prompts.
      const asked = last?.kind === 'response' ? ctx.messages.slice(0, -1) : ctx.messages;
      return messages.toPrompt(asked, undefined).filter(({ role }) => role !== 'system');
    },
    get abortSignal() {
      return ctx.signal;
    },
    context,
    experimental_context: context,
  };
}
