import type { AgUiInterrupt } from './ag-ui-interrupt.ts';
import type { AgUiAttribution, AgUiMessage } from './ag-ui-message.ts';

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
