export { agUiEvents, type AgUiEventsOptions } from './ag-ui-events.ts';
export {
  type AgUiBackendOptions,
  type AgUiHandler,
  agUiHandler,
  type AgUiHandlerOptions,
  type AgUiOptions,
  type ClientToolOptions,
} from './ag-ui-handler.ts';
export type {
  AgUiAssistantMessage,
  AgUiAttribution,
  AgUiContentPart,
  AgUiEvent,
  AgUiInterrupt,
  AgUiMessage,
  AgUiOutcome,
  AgUiReasoningEvent,
  AgUiReasoningMessage,
  AgUiRunEvent,
  AgUiSnapshotEvent,
  AgUiSource,
  AgUiSubAgentEvent,
  AgUiTextEvent,
  AgUiToolCall,
  AgUiToolCallEvent,
  AgUiToolMessage,
  AgUiUserMessage,
} from './protocol.ts';
export { type AgUiSnapshot, agUiSnapshot, type AgUiSnapshotOptions } from './snapshot.ts';
