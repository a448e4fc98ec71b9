import type { UserPrompt } from '../../src/messages/content.ts';
import type { Message } from '../../src/messages/message.ts';
import type { RequestPart, ToolReturnPart } from '../../src/messages/request-part.ts';
import type { ResponsePart } from '../../src/messages/response-part.ts';
import { type FileFormat, v4Files } from '../../src/models/ai-sdk/to-file.ts';
import { PromptConverter } from '../../src/models/ai-sdk/to-prompt.ts';

/** Returns the options of the conversion: a provider with native tools, and a file format. */
export const format = (files: FileFormat = v4Files) => ({
  files,
  native: { system: 'openai', takesNative: true, search: undefined },
});

/** Returns the prompt of a conversation. */
export const convert = (messages: readonly Message[], instructions?: string) =>
  new PromptConverter(format()).toPrompt(messages, instructions);

/** A request with these parts. */
export const request = (...parts: RequestPart[]): Message => ({ kind: 'request', parts });

/** A response with these parts. */
export const response = (...parts: ResponsePart[]): Message => ({ kind: 'response', parts });

/** A request with this user prompt. */
export const said = (content: UserPrompt): Message => request({ kind: 'user-prompt', content });

/** A text in the prompt of the AI SDK. */
export const text = (words: string) => ({ type: 'text', text: words });

/** Builds a tool return part. */
export const returned = (fields: Partial<ToolReturnPart>): ToolReturnPart => ({
  kind: 'tool-return',
  toolName: 'look',
  toolCallId: 'c1',
  content: null,
  outcome: 'success',
  ...fields,
});
