import type { ApprovalDescriptor } from '../front-end/call-values.ts';

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

/** The reason why a stream ended. `interrupted` prevents that the client sends its messages again by itself. */
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
