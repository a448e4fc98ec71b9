export type {
  ChatAccess,
  ChatBackend,
  ChatEvent,
  ChatPrompt,
  ChatResult,
  ChatTurn,
  NewTurn,
  OpenChat,
  PendingChat,
  TurnOptions,
} from '../front-end/chat-backend.ts';
export type { ApprovalDescriptor } from '../front-end/call-values.ts';
export { type ChatHandler, chatHandler } from './chat-handler.ts';
export type {
  ChatAgent,
  ChatBackendOptions,
  ChatHandlerOptions,
  ChatOptions,
  ChatRunOptions,
  ChatStorageOptions,
  RunOptionsFunction,
} from '../front-end/chat-options.ts';
export type { LoadChat, SaveChat } from '../front-end/chat-storage.ts';
export type { ResumedCalls } from './chunk-fold.ts';
export {
  QUESTION_TOOL,
  type UiApprovalRequest,
  type UiDynamicToolPart,
  type UiFilePart,
  type UiMessage,
  type UiPart,
  type UiQuestion,
  type UiReasoningPart,
  type UiSourcePart,
  type UiStepStart,
  type UiTextPart,
  type UiToolFields,
  type UiToolPart,
  type UiToolState,
} from './ui-message.ts';
export type {
  UiApprovalChunk,
  UiBoundaryChunk,
  UiCallFields,
  UiContentChunk,
  UiDataChunk,
  UiFinishReason,
  UiMessageChunk,
  UiSubAgentText,
  UiTextChunk,
  UiToolInputChunk,
  UiToolOutputChunk,
} from './ui-message-chunk.ts';
export { uiMessageChunks, type UiMessageChunksOptions } from './ui-message-chunks.ts';
export { toUiMessages, type ToUiMessagesOptions } from './ui-messages.ts';
