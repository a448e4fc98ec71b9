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
  GuaranteeOptions,
  OverrideOptions,
  PlainToolsets,
  Retries,
  ResumeArguments,
  ResumeOptions,
  RunArguments,
  RunOptions,
} from './agent/agent-options.ts';
export { type Captured, captureRunMessages } from './agent/capture-messages.ts';
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
export type { Ended, Finished, Parked } from './events/run-end.ts';
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
} from './events/run-events.ts';
export type { HistoryProcessor } from './capabilities/history-processor.ts';
export type {
  CallToExecute,
  CallToValidate,
  CapabilityHooks,
  Validation,
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
  type Decision,
  type ApprovalDecision,
  type ExternalResult,
  type ShownEdit,
  ToolApproved,
  type ToolApprovedOptions,
  ToolDenied,
  type ToolDeniedOptions,
  ToolExpired,
  ToolSuperseded,
  type UndecidedOptions,
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
  requestsCodec,
  type RequestsDocument,
  resultsCodec,
  type ResultsDocument,
} from './deferred/codec/index.ts';
export { forkHistory, type ForkOptions } from './deferred/fork-history.ts';
export { requestsFromMessages } from './deferred/from-messages.ts';
export type { HandlerResult, DeferredToolHandler } from './deferred/handler.ts';
export { approveAll, denyAll, firstThatAnswers } from './deferred/handlers.ts';
export type { AgentCall, NestedPlace } from './deferred/nested-calls.ts';
export type { CheckedEdit } from './deferred/checked-edit.ts';
export type { CallToVerify, VerifyApproval } from './gate/approval.ts';
export {
  type ApprovalEntry,
  type ApproveOptions,
  type DecisionEntry,
  type ExternalEntry,
  type MatchingTool,
  PendingCall,
  type ResolvedCall,
} from './deferred/pending-call.ts';
export {
  type BuildResultsOptions,
  DeferredToolRequests,
  type DeferredToolRequestsOptions,
} from './deferred/requests.ts';
export {
  type RecordByKey,
  DeferredToolResults,
  type DeferredToolResultsOptions,
} from './deferred/results.ts';
export { AgentError, UsageLimitExceeded } from './errors/agent-errors.ts';
export {
  AlreadyResumedError,
  InvalidJsonError,
  RefusedAnswersError,
  UnansweredCallsError,
  UserError,
} from './errors/user-errors.ts';
export type { ErrorCode, LedgerErrorCode, UserErrorCode } from './errors/error-code.ts';
export { FallbackModelsError, ModelError, UnexpectedModelBehavior } from './errors/model-errors.ts';
export { LedgerError } from './errors/ledger-errors.ts';
export type { OutputValidator } from './execution/process-output.ts';
export type { ParallelMode } from './execution/scope.ts';
export { canonicalJson } from './internal/canonical-json.ts';
export { callDigest, type DigestedCall } from './ledger/digest.ts';
export type {
  Busy,
  ClaimOptions,
  ClaimState,
  Conflict,
  EntryState,
  Held,
  InDoubt,
  Ledger,
  LedgerClaim,
  Recorded,
  RecordOptions,
  RecordState,
  Resolution,
  Settled,
} from './ledger/ledger.ts';
export type { LedgerKey } from './ledger/ledger-key.ts';
export { MemoryLedger, type MemoryLedgerOptions } from './ledger/memory-ledger.ts';
export { schemaHash } from './ledger/schema-hash.ts';
export type {
  EndStrategy,
  OnceRule,
  OnOpenCalls,
  OnResumed,
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
export { type Codec, messageCodec, type MessagesDocument } from './messages/codec/index.ts';
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
export type { JsonObject, JsonValue } from './internal/json.ts';
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
  type CodeExecution,
  type FileSearch,
  type ImageGeneration,
  type McpServer,
  type Memory,
  type NativeTool,
  type NativeToolKey,
  type NativeToolKind,
  type NativeToolSearch,
  nativeToolKey,
  type ProviderTool,
  type WebFetch,
  type WebSearch,
} from './models/native-tool.ts';
export type { ModelSettings } from './models/settings.ts';
export { WrapperModel } from './models/wrapper-model.ts';
export {
  isDeferred,
  type OnInDoubt,
  type ToolDefinition,
  type ToolKind,
} from './models/tool-definition.ts';
export {
  type MayDefer,
  type None,
  type NativeOutputOptions,
  nativeOutput,
  none,
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
export {
  handleDeferredToolCalls,
  includeReturnSchemas,
  nativeTool,
  prefixTools,
  prepareTools,
  processHistory,
  setToolMetadata,
  toolSearch,
} from './capabilities/provided.ts';
export type { DeepReadonly } from './tools/deep-readonly.ts';
export { tool } from './tools/define-tool.ts';
export { type Checked, fromJsonSchema } from './tools/input-schema.ts';
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
export type { ApprovalPolicy, ToolsPrepare } from './toolsets/transforms.ts';
export { CombinedToolset } from './toolsets/combined-toolset.ts';
export { DynamicToolset, type ToolsetFactory } from './toolsets/dynamic-toolset.ts';
export { type ExternalTool, ExternalToolset } from './toolsets/external-toolset.ts';
export { FunctionToolset, type FunctionToolsetOptions } from './toolsets/function-toolset.ts';
export { inherit } from './toolsets/inherit.ts';
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
