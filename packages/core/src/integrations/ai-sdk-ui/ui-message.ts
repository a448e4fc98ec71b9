import type { ApprovalDescriptor } from '../front-end/call-values.ts';

/** A message as the AI SDK's `useChat` shows it. Plain JSON. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: UiPart[];
  /** Data of the message. A handler with `sealed` stores the token of the conversation here, as `holdpoint`. */
  readonly metadata?: { readonly holdpoint?: string };
}

/** A part of a {@link UiMessage}. */
export type UiPart =
  | UiStepStart
  | UiTextPart
  | UiReasoningPart
  | UiFilePart
  | UiSourcePart
  | UiToolPart
  | UiDynamicToolPart;

/** The start of a model response. */
export interface UiStepStart {
  readonly type: 'step-start';
}

/** Text of a person or of the model. */
export interface UiTextPart {
  readonly type: 'text';
  readonly text: string;
  readonly state?: 'done';
}

/** The reasoning of the model. */
export interface UiReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly state?: 'done';
}

/** A file of a person or of the model. */
export interface UiFilePart {
  readonly type: 'file';
  readonly url: string;
  readonly mediaType: string;
}

/** A source that the model cites. */
export interface UiSourcePart {
  readonly type: 'source-url';
  readonly sourceId: string;
  readonly url: string;
  readonly title?: string;
}

/**
 * The name of the tool of question parts. Such a part has the type `dynamic-tool`, and its input is a {@link UiQuestion}.
 * `addToolOutput` supplies the input of the user, or with an error declines the question.
 */
export const QUESTION_TOOL = 'holdpoint-question';

/** A question of a tool or of the model. */
export interface UiQuestion {
  readonly message: string;
  /** The JSON Schema of the input. */
  readonly schema: unknown;
  /** The tool that needs the input. */
  readonly toolName: string;
  /** The reason why the last input was rejected. */
  readonly problem?: string;
}

/** A tool call of the agent itself. */
export type UiToolPart = { readonly type: `tool-${string}` } & UiToolFields & UiToolState;

/** A tool call of a sub-agent. */
export type UiDynamicToolPart = {
  readonly type: 'dynamic-tool';
  readonly toolName: string;
  /** The names of the sub-agents that led to the call. */
  readonly title?: string;
} & UiToolFields &
  UiToolState;

/** The fields of every tool call. */
export interface UiToolFields {
  readonly toolCallId: string;
  /** True if the provider executed the call. */
  readonly providerExecuted?: boolean;
}

/** The state of a tool call. */
export type UiToolState =
  | { readonly state: 'input-available'; readonly input: unknown }
  | {
      readonly state: 'approval-requested';
      readonly input: unknown;
      readonly approval: UiApprovalRequest;
    }
  | {
      readonly state: 'approval-responded';
      readonly input: unknown;
      readonly approval: UiApprovalRequest & { readonly approved: boolean };
    }
  | { readonly state: 'output-available'; readonly input: unknown; readonly output: unknown }
  | { readonly state: 'output-error'; readonly input: unknown; readonly errorText: string }
  | {
      readonly state: 'output-denied';
      readonly input: unknown;
      readonly approval: {
        readonly id: string;
        readonly approved: false;
        readonly reason?: string;
      };
    };

/** The approval request of a tool call. */
export interface UiApprovalRequest {
  /** The id of the pending call. It is unique within the conversation. */
  readonly id: string;
  /** The preview of the call, if it is text. */
  readonly requestReason?: string;
  readonly descriptor?: ApprovalDescriptor;
  /** True if the request needs no decision of the user. */
  readonly isAutomatic?: true;
}

/** One chunk of the AI SDK's UI message stream. */
export type UiMessageChunk =
  | UiBoundaryChunk
  | UiTextChunk
  | UiToolInputChunk
  | UiApprovalChunk
  | UiToolOutputChunk
  | UiContentChunk
  | UiDataChunk;

/** The start or end of a message or a step. */
export type UiBoundaryChunk =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step' }
  | {
      readonly type: 'finish';
      readonly finishReason: UiFinishReason;
      readonly messageMetadata?: { readonly holdpoint: string };
    }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort' };

/**
 * The reason why a stream ended. `interrupted` prevents the client from sending its messages again
 * automatically.
 */
export type UiFinishReason =
  | 'stop'
  | 'length'
  | 'content-filter'
  | 'tool-calls'
  | 'error'
  | 'interrupted';

/** Text or reasoning of the model. */
export type UiTextChunk =
  | { readonly type: 'text-start' | 'reasoning-start'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end' | 'reasoning-end'; readonly id: string };

/** The input of a tool call. */
export type UiToolInputChunk =
  | ({ readonly type: 'tool-input-start' } & UiCallFields)
  | {
      readonly type: 'tool-input-delta';
      readonly toolCallId: string;
      readonly inputTextDelta: string;
    }
  | ({ readonly type: 'tool-input-available'; readonly input: unknown } & UiCallFields)
  | ({
      readonly type: 'tool-input-error';
      readonly input: unknown;
      readonly errorText: string;
    } & UiCallFields);

/** The fields of chunks that introduce a call. */
export interface UiCallFields {
  readonly toolCallId: string;
  readonly toolName: string;
  /** True for calls of sub-agents. */
  readonly dynamic?: boolean;
  /** The names of the sub-agents that led to the call. */
  readonly title?: string;
  readonly providerExecuted?: boolean;
}

/** An approval request or its decision. */
export type UiApprovalChunk =
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string;
      readonly approvalDescriptor?: ApprovalDescriptor;
      readonly isAutomatic?: boolean;
    }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    };

/** The outcome of a tool call. */
export type UiToolOutputChunk =
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
      readonly providerExecuted?: boolean;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted?: boolean;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string };

/** A file or a source of the model. */
export type UiContentChunk =
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | {
      readonly type: 'source-url';
      readonly sourceId: string;
      readonly url: string;
      readonly title?: string;
    };

/** Text of a sub-agent while it arrives. */
export interface UiDataChunk {
  readonly type: 'data-sub-agent-text';
  readonly data: UiSubAgentText;
  /** The message does not contain the part; `onData` of the client receives it. */
  readonly transient: true;
}

/** Text of a sub-agent. */
export interface UiSubAgentText {
  /** The `toolCallId` of the call that started the outermost sub-agent. */
  readonly toolCallId: string;
  /** The names of the sub-agents, outermost first. */
  readonly path: readonly string[];
  readonly delta: string;
}
