export { Agent } from './agent/agent.ts';
export type { AgentToolOptions, PromptSchema } from './agent/agent-tool.ts';
export type { AgentWith } from './agent/agent-with.ts';
export type {
  AgentOptions,
  AnyTool,
  AnyTools,
  AnyToolsets,
  DepsOfAgent,
  DepsOfTools,
  DepsOfToolsets,
  SharedOptions,
  DurabilityOptions,
  OverrideOptions,
  PlainToolsets,
  Retries,
  ResumeArguments,
  ResumeOptions,
  RunArguments,
  RunOptions,
} from './agent/agent-options.ts';
export { type CapturedMessages, captureRunMessages } from './agent/capture-messages.ts';
export type { RunIterator } from './agent/run-iterator.ts';
export type { ParkedResult, RunResult, RunResultOf } from './agent/run-result.ts';
export type {
  AgentEvent,
  PartialOutput,
  RunResultEvent,
  RunStream,
} from './agent/run-stream.ts';
export { type AgentLike, WrapperAgent } from './agent/wrapper-agent.ts';
export type { Capability, SettingsSource } from './capabilities/capability.ts';
export type { RunEnd, FinishedRun, ParkedRun } from './capabilities/ended.ts';
export type {
  DeferredRequestsEvent,
  DeferredResultsEvent,
  FinalResultEvent,
  OutputToolCallEvent,
  OutputToolResultEvent,
  PartEnd,
  StepEvent,
  ToolCallEvent,
  ToolEvent,
  ToolResultEvent,
  ToolsAvailableEvent,
} from './capabilities/events.ts';
export type { HistoryProcessor } from './capabilities/history-processor.ts';
export type {
  CallToExecute,
  CallToValidate,
  CapabilityHooks,
  ArgsValidation,
} from './capabilities/hooks.ts';
export { type Environment, liveEnvironment } from './context/environment.ts';
export type { Instruction, Instructions } from './context/instructions.ts';
export type { NativeToolSource } from './context/native-tool-source.ts';
export type {
  AgentInfo,
  AgentRunOptions,
  AgentRunResult,
  RunContext,
  ToolCaller,
  ToolContext,
} from './context/run-context.ts';
export { noopTracer, type Span, type Tracer } from './context/tracer.ts';
export {
  type Answer,
  type ApprovalAnswer,
  type CallAnswer,
  type ShownEdit,
  ToolApproved,
  type ToolApprovedOptions,
  ToolDenied,
  type ToolDeniedOptions,
  ToolUnanswered,
  type ToolUnansweredOptions,
  type UnansweredReason,
} from './deferred/answers.ts';
export {
  type AnswerRule,
  answerByRules,
  type RuleAnswer,
  type RuleFunction,
} from './deferred/answer-by-rules.ts';
export {
  type ApprovalJson,
  type CallJson,
  dumpRequests,
  dumpResults,
  loadRequests,
  loadResults,
  REQUESTS_VERSION,
  type RequestsDocument,
  RESULTS_VERSION,
  type ResultsDocument,
  requestsToJson,
  resultsToJson,
} from './deferred/codec/index.ts';
export { forkHistory, type ForkOptions } from './deferred/fork-history.ts';
export { requestsFromMessages } from './deferred/from-messages.ts';
export type { Answered, DeferredToolHandler } from './deferred/handler.ts';
export { approveAll, denyAll, chainHandlers } from './deferred/handlers.ts';
export type { AgentCall, NestedPlace } from './deferred/nested-calls.ts';
export type { CheckedEdit } from './deferred/checked-edit.ts';
export type { CallToVerify, VerifyApproval } from './execution/approval.ts';
export {
  type BuildResultsOptions,
  DeferredToolRequests,
  type DeferredToolRequestsOptions,
} from './deferred/requests.ts';
export {
  type ById,
  DeferredToolResults,
  type DeferredToolResultsOptions,
} from './deferred/results.ts';
export { AgentError } from './errors/agent-error.ts';
export { AlreadyResumedError } from './errors/already-resumed-error.ts';
export type { ErrorCode, LedgerErrorCode, UserErrorCode } from './errors/error-code.ts';
export { FallbackModelsError } from './errors/fallback-models-error.ts';
export { InvalidJsonError } from './errors/invalid-json-error.ts';
export { LedgerError } from './errors/ledger-error.ts';
export { ModelError } from './errors/model-error.ts';
export { RefusedAnswersError } from './errors/refused-answers-error.ts';
export { UnansweredCallsError } from './errors/unanswered-calls-error.ts';
export { UnexpectedModelBehavior } from './errors/unexpected-model-behavior.ts';
export { UsageLimitExceeded } from './errors/usage-limit-exceeded.ts';
export { UserError } from './errors/user-error.ts';
export type { OutputValidator } from './execution/process-output.ts';
export type { ParallelMode } from './execution/scope.ts';
export { canonicalJson } from './ledger/canonical-json.ts';
export { callDigest, type DigestedCall } from './ledger/digest.ts';
export type {
  LedgerBusy,
  LedgerClaimOptions,
  LedgerClaimState,
  LedgerConflict,
  LedgerEntryState,
  LedgerHeld,
  LedgerInDoubt,
  Ledger,
  LedgerClaim,
  LedgerRecorded,
  LedgerRecordOptions,
  LedgerRecordState,
  LedgerResolution,
  LedgerSettled,
} from './ledger/ledger.ts';
export type { LedgerKey } from './ledger/ledger-key.ts';
export { MemoryLedger, type MemoryLedgerOptions } from './ledger/memory-ledger.ts';
export { schemaHash } from './ledger/schema-hash.ts';
export type {
  EndStrategy,
  AtMostOnce,
  OnPendingCalls,
  OnAlreadyResumed,
  OnToolCalls,
} from './loop/run-setup.ts';
export type { Approver, CallApproval } from './messages/call-approval.ts';
export type { CallDetails, CallInDoubt } from './messages/call-details.ts';
export type {
  ApplyResults,
  CallTools,
  RequestModel,
  ResolveDeferred,
  Step,
} from './loop/step.ts';
export {
  dumpMessages,
  loadMessages,
  MESSAGES_VERSION,
  type MessagesDocument,
  messagesToJson,
} from './messages/codec/index.ts';
export {
  type AudioUrl,
  type BinaryContent,
  binaryContent,
  bytesOf,
  type CachePoint,
  type DocumentUrl,
  type FileContent,
  type ImageUrl,
  isFileContent,
  type TextContent,
  type UploadedFile,
  type UserContent,
  type UserPrompt,
  type VideoUrl,
} from './messages/content.ts';
export { cleanHistory } from './messages/history.ts';
export type { JsonObject, JsonValue } from './messages/json.ts';
export {
  type FinishReason,
  type Message,
  type ModelRequest,
  type ModelResponse,
  type RequestUsage,
  type SpentUsage,
  textOf,
  toolCallsOf,
} from './messages/message.ts';
export { pruneParked } from './messages/prune-parked.ts';
export {
  isToolResult,
  type RequestPart,
  type RetryPromptPart,
  type SystemPromptPart,
  type ToolAvailabilityDeltaPart,
  type ToolOutcome,
  type ToolPartKind,
  type ToolResultPart,
  type ToolReturnPart,
  type UserPromptPart,
  type ValidationIssue,
} from './messages/request-part.ts';
export type {
  CompactionPart,
  FilePart,
  NativeToolCallPart,
  NativeToolReturnPart,
  ResponsePart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from './messages/response-part.ts';
export { renderRetryPrompt } from './messages/retry-prompt.ts';
export {
  type OpenCall,
  readStepRecord,
  type StepRecord,
  withoutStepRecord,
} from './messages/step-record.ts';
export type { AssistantSpeechPart, UserSpeechPart } from './messages/speech-part.ts';
export { aiSdkModel, isAiSdkModel } from './models/ai-sdk/ai-sdk-model.ts';
export type { LanguageModel } from './models/ai-sdk/language-model.ts';
export { type FallbackOptions, fallbackModel } from './models/fallback-model.ts';
export { inferModel, type ModelLike } from './models/infer-model.ts';
export type { JsonSchema } from './models/json-schema.ts';
export type {
  ArgsDelta,
  Model,
  ModelCall,
  ModelReply,
  ModelStreamEvent,
  OutputSchema,
  PartDelta,
  PartDone,
  PartStart,
  StreamFinish,
  TextDelta,
  ThinkingDelta,
} from './models/model.ts';
export {
  type CodeExecutionTool,
  type FileSearchTool,
  type ImageGenerationTool,
  type McpServerTool,
  type MemoryTool,
  type NativeTool,
  type NativeToolKey,
  type NativeToolKind,
  type NativeToolSearch,
  nativeToolKey,
  type ProviderTool,
  type WebFetchTool,
  type WebSearchTool,
} from './models/native-tool.ts';
export type { ModelSettings } from './models/settings.ts';
export { WrapperModel } from './models/wrapper-model.ts';
export {
  isAlwaysDeferred,
  type OnInDoubt,
  type ToolDefinition,
  type ToolKind,
} from './models/tool-definition.ts';
export {
  type MayDefer,
  type NoOutput,
  type NativeOutputOptions,
  nativeOutput,
  noOutput,
  type OutputChoice,
  OutputDeclaration,
  type OutputDepsOf,
  type OutputOf,
  type OutputSpec,
  outputFunction,
  type ToolOutputOptions,
  textOutput,
  toolOutput,
} from './output/output-spec.ts';
export { handleDeferredToolCalls } from './provided/handle-deferred-tool-calls.ts';
export { includeReturnSchemas } from './provided/include-return-schemas.ts';
export { nativeTool } from './provided/native-tool.ts';
export { prefixTools } from './provided/prefix-tools.ts';
export { prepareTools } from './provided/prepare-tools.ts';
export { processHistory } from './provided/process-history.ts';
export { setToolMetadata } from './provided/set-tool-metadata.ts';
export { toolSearch } from './provided/tool-search.ts';
export type { DeepReadonly } from './tools/deep-readonly.ts';
export { tool } from './tools/define-tool.ts';
export { type SchemaValidation, fromJsonSchema } from './tools/input-schema.ts';
export type { CallOf } from './tools/matched-call.ts';
export { GateError, type Permit } from './tools/permit.ts';
export { renderSignature, type SignatureOptions } from './tools/render-signature.ts';
export { schemaToType } from './tools/schema-to-type.ts';
export {
  ApprovalRequired,
  CallDeferred,
  type DeferralOptions,
  ModelRetry,
  ToolFailed,
  ToolReturn,
  type ToolReturnOptions,
} from './tools/signals.ts';
export type {
  InferOutput,
  JsonSchemaConverter,
  StandardIssue,
  StandardJsonSchemaConverter,
  StandardResult,
  StandardSchema,
} from './tools/standard-schema.ts';
export { matchesToolSelector, type ToolSelector } from './tools/tool-selector.ts';
export {
  type ApprovalCheck,
  type ArgsValidator,
  Tool,
  type ToolOptions,
  type ToolPrepare,
  type ToolPreview,
} from './tools/tool.ts';
export { type KnownTools, knownToolsOf } from './tools/known-tools.ts';
export { AbstractToolset, WrapperToolset } from './toolsets/abstract-toolset.ts';
export type { ApprovalPolicy } from './toolsets/approval-required.ts';
export { CombinedToolset } from './toolsets/combined-toolset.ts';
export { DynamicToolset, type ToolsetFactory } from './toolsets/dynamic-toolset.ts';
export { type ExternalTool, ExternalToolset } from './toolsets/external-toolset.ts';
export { FunctionToolset, type FunctionToolsetOptions } from './toolsets/function-toolset.ts';
export { inherit } from './toolsets/inherit.ts';
export type { ToolsPrepare } from './toolsets/prepared.ts';
export type { ToolChange } from './toolsets/tool-change.ts';
export {
  keywordsSearch,
  type SearchableTool,
} from './toolsets/tool-search/keywords-search.ts';
export type { ToolSearchOptions } from './toolsets/tool-search/tool-search-toolset.ts';
export type {
  Delegation,
  ReplaceToolset,
  ToolMap,
  Toolset,
  ToolsetTool,
} from './toolsets/toolset.ts';
export { WrappedTool } from './toolsets/wrapped-tool.ts';
export type { UsageLimits } from './usage/limits.ts';
export { RunUsage } from './usage/run-usage.ts';
export type { OptionsWithDeps, OutputSpecOf, RunStreamOf } from './agent/agent-with.ts';
export type { ItemOf, DepsConsumerOfTool, DepsConsumerOfToolset } from './agent/agent-options.ts';
export type { EndedRun } from './agent/run-result.ts';
export type { ReplayedEvent } from './capabilities/events.ts';
export type { HistoryFunction, NewMessagesProcessor } from './capabilities/history-processor.ts';
export type {
  ApprovedJson,
  DecisionJson,
  DeniedJson,
  UnansweredJson,
} from './deferred/codec/approval-json.ts';
export type {
  ModelRetryJson,
  ToolFailedJson,
  ToolReturnJson,
  ValueJson,
} from './deferred/codec/call-json.ts';
export type { EditCheck } from './deferred/checked-edit.ts';
export type { KnownCall } from './deferred/requests.ts';
export type { DocumentHeader } from './messages/codec/document.ts';
export type { FileByUrl } from './messages/content.ts';
export type { MessageFields } from './messages/message.ts';
export type { ParkedAgent, WaitingCall } from './messages/recorded-step.ts';
export type { TimedPart, ToolRetryFields } from './messages/request-part.ts';
export type { CallFields, ProviderPart } from './messages/response-part.ts';
export type { SpeechFields } from './messages/speech-part.ts';
export type {
  LanguageModelAnswer,
  LanguageModelCallOptions,
  LanguageModelStream,
} from './models/ai-sdk/language-model.ts';
export type { OutputChoiceOf, OutputForm } from './output/output-spec.ts';
export type {
  AnyFunction,
  IsData,
  Primitive,
  ReadonlyList,
  ReadonlyParts,
} from './tools/deep-readonly.ts';
export type { NotReturnOptions } from './tools/signals.ts';
export type { FunctionTools } from './toolsets/function-toolset.ts';
