export type {
  ChatAccess,
  ChatBackend,
  ChatEvent,
  ChatListener,
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
  LoadChat,
  SaveChat,
} from '../front-end/chat-options.ts';
export type { ResumedCalls } from './chunk-fold.ts';
export { uiMessageChunks, type UiMessageChunksOptions } from './ui-message-chunks.ts';
export {
  QUESTION_TOOL,
  type UiApprovalChunk,
  type UiApprovalRequest,
  type UiBoundaryChunk,
  type UiCallFields,
  type UiContentChunk,
  type UiDataChunk,
  type UiDynamicToolPart,
  type UiFilePart,
  type UiFinishReason,
  type UiMessage,
  type UiMessageChunk,
  type UiPart,
  type UiQuestion,
  type UiReasoningPart,
  type UiSourcePart,
  type UiStepStart,
  type UiSubAgentText,
  type UiTextChunk,
  type UiTextPart,
  type UiToolFields,
  type UiToolInputChunk,
  type UiToolOutputChunk,
  type UiToolPart,
  type UiToolState,
} from './ui-message.ts';
export { toUiMessages, type ToUiMessagesOptions } from './ui-messages.ts';
