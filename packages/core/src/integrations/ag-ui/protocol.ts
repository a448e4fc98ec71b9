import type { ApprovalDescriptor } from '../front-end/call-values.ts';

/** An event of AG-UI, as far as Holdpoint emits it. */
export type AgUiEvent =
  | AgUiRunEvent
  | AgUiSnapshotEvent
  | (AgUiTextEvent & AgUiAttribution)
  | (AgUiReasoningEvent & AgUiAttribution)
  | (AgUiToolCallEvent & AgUiAttribution)
  | AgUiSubAgentEvent;

/** The start and the end of a run. */
export type AgUiRunEvent =
  | {
      readonly type: 'RUN_STARTED';
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion?: string;
    }
  | {
      readonly type: 'RUN_FINISHED';
      readonly threadId: string;
      readonly runId: string;
      /** The output of the run, if JSON has a form for it. */
      readonly result?: unknown;
      readonly outcome: AgUiOutcome;
    }
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code?: string };

/** The outcome of a run that did not fail. */
export type AgUiOutcome =
  | {
      readonly type: 'success';
      /** The calls whose results the client supplies. Clients before 1.0 reject this member. */
      readonly pendingToolCallIds?: readonly string[];
    }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] };

/** The state of a thread. */
export type AgUiSnapshotEvent =
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: Readonly<Record<string, unknown>> };

/** Text of a model. All text of a response has one message id. */
export type AgUiTextEvent =
  | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' }
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string };

/** Reasoning of a model. */
export type AgUiReasoningEvent =
  | {
      readonly type: 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
      readonly messageId: string;
    }
  | {
      readonly type: 'REASONING_MESSAGE_START';
      readonly messageId: string;
      readonly role: 'reasoning';
    }
  | {
      readonly type: 'REASONING_MESSAGE_CONTENT';
      readonly messageId: string;
      readonly delta: string;
    };

/** A tool call and its result. */
export type AgUiToolCallEvent =
  | {
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId?: string;
    }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
      /** `holdpoint.outcome` is set for an outcome other than success. */
      readonly metadata?: { readonly holdpoint: { readonly outcome: string } };
    };

/** The start and the end of a sub-agent. */
export type AgUiSubAgentEvent =
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentToolCallId: string;
      readonly parentSubagentRunId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly outcome:
        | { readonly type: 'success' }
        | { readonly type: 'suspended'; readonly interruptIds?: readonly string[] };
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string };

/** An approval request or a question in the form of AG-UI. */
export interface AgUiInterrupt extends AgUiAttribution {
  /** The id of the pending call. It is unique within the thread. */
  readonly id: string;
  /** `tool_call`: the call needs approval. `input_required`: the call has a question. */
  readonly reason: 'tool_call' | 'input_required';
  /** The question of the call, its preview, or a text with the name of its tool. */
  readonly message: string;
  readonly toolCallId: string;
  /** The JSON schema of the decision, or of the input. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly holdpoint: ApprovalDescriptor };
}

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
