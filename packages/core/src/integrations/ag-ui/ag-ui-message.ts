/** A message of a thread in the form of AG-UI. */
export type AgUiMessage =
  | AgUiUserMessage
  | AgUiAssistantMessage
  | AgUiToolMessage
  | AgUiReasoningMessage;

/** The fields of data that belong to a sub-agent. */
export interface AgUiAttribution {
  /** The sub-agent that the data belongs to; absent for the run itself. */
  readonly subagentRunId?: string;
}

/** A prompt. */
export interface AgUiUserMessage {
  readonly id: string;
  readonly role: 'user';
  readonly content: string | readonly AgUiContentPart[];
}

/** A part of a prompt. */
export type AgUiContentPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'video' | 'document';
      readonly source: AgUiSource;
    };

/** A file by value in Base64, or its address. */
export type AgUiSource =
  | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
  | { readonly type: 'url'; readonly value: string; readonly mimeType?: string };

/** A model response. */
export interface AgUiAssistantMessage extends AgUiAttribution {
  readonly id: string;
  readonly role: 'assistant';
  readonly content?: string;
  readonly toolCalls?: readonly AgUiToolCall[];
}

/** A tool call of a response. */
export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The result of a tool call. */
export interface AgUiToolMessage {
  readonly id: string;
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly content: string;
  /** The text of an outcome other than success. */
  readonly error?: string;
}

/** The reasoning of a model. */
export interface AgUiReasoningMessage {
  readonly id: string;
  readonly role: 'reasoning';
  readonly content: string;
}
