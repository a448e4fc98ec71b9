export type {
  AgUiEvent,
  AgUiOutcome,
  AgUiReasoningEvent,
  AgUiRunEvent,
  AgUiSnapshotEvent,
  AgUiSubAgentEvent,
  AgUiTextEvent,
  AgUiToolCallEvent,
} from './ag-ui-event.ts';
export { agUiEvents, type AgUiEventsOptions } from './ag-ui-events.ts';
export { type AgUiHandler, agUiHandler } from './ag-ui-handler.ts';
export type { AgUiInterrupt } from './ag-ui-interrupt.ts';
export type {
  AgUiAssistantMessage,
  AgUiAttribution,
  AgUiContentPart,
  AgUiMessage,
  AgUiReasoningMessage,
  AgUiSource,
  AgUiToolCall,
  AgUiToolMessage,
  AgUiUserMessage,
} from './ag-ui-message.ts';
export type {
  AgUiBackendOptions,
  AgUiHandlerOptions,
  AgUiOptions,
  ClientToolOptions,
} from './ag-ui-options.ts';
export { type AgUiSnapshot, agUiSnapshot, type AgUiSnapshotOptions } from './snapshot.ts';
