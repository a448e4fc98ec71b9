/** Parts and contents of messages, and functions on histories. */

export type { DocumentHeader } from '../messages/codec/document.ts';
export type { MessagesDocument } from '../messages/codec/index.ts';
export {
  type AudioUrl,
  type BinaryContent,
  bytesOf,
  type CachePoint,
  type DocumentUrl,
  type FileByUrl,
  type FileContent,
  type ImageUrl,
  isFileContent,
  type TextContent,
  type UploadedFile,
  type UserContent,
  type VideoUrl,
} from '../messages/content.ts';
export { cleanHistory } from '../messages/history.ts';
export {
  type FinishReason,
  type MessageFields,
  type RequestUsage,
  type SpentUsage,
  textOf,
  toolCallsOf,
} from '../messages/message.ts';
export {
  isToolResult,
  type RequestPart,
  type SystemPromptPart,
  type TimedPart,
  type ToolAvailabilityDeltaPart,
  type ToolOutcome,
  type ToolPartKind,
  type ToolResultPart,
  type ToolRetryFields,
  type ValidationIssue,
} from '../messages/request-part.ts';
export type {
  CallFields,
  CompactionPart,
  FilePart,
  NativeToolCallPart,
  NativeToolReturnPart,
  ProviderPart,
  ResponsePart,
  ThinkingPart,
} from '../messages/response-part.ts';
export { renderRetryPrompt } from '../messages/request-part.ts';
export type { AssistantSpeechPart, SpeechFields, UserSpeechPart } from '../messages/speech-part.ts';
export {
  type PendingCallRecord,
  type SubAgentCallRecord,
  parkedTraceparent,
  readStepRecord,
  type RecordedApproval,
  type StepRecord,
  type DeferredCallRecord,
  withoutStepRecord,
} from '../messages/step-record.ts';
