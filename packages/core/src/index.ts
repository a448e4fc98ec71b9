export type {
  AgentOptions,
  DurabilityOptions,
  ResumeOptions,
  Retries,
  RunOptions,
  SharedOptions,
} from './agent/agent-options.ts';
export type { AgentToolOptions } from './agent/agent-tool.ts';
export type { AgentWith } from './agent/agent-with.ts';
export { Agent } from './agent/agent.ts';
export { captureRunMessages } from './agent/capture-messages.ts';
export type { RunIterator } from './agent/run-iterator.ts';
export type { ParkedResult, RunResult, RunResultOf } from './agent/run-handle.ts';
export type { AgentEvent, RunResultEvent, RunStream } from './agent/run-stream.ts';
export { type AgentLike, WrapperAgent } from './agent/wrapper-agent.ts';
export type { Capability } from './capabilities/capability.ts';
export type { RunContext, ToolContext } from './context/run-context.ts';
export { decideByRules } from './deferred/decide-by-rules.ts';
export {
  type ApprovalDecision,
  type ExternalResult,
  ToolApproved,
  ToolDenied,
  ToolInput,
  ToolExpired,
  ToolSuperseded,
} from './deferred/decisions.ts';
export { requestsCodec, resultsCodec } from './deferred/codec/index.ts';
export { requestsFromMessages } from './deferred/from-messages.ts';
export type { DeferredToolHandler } from './deferred/handlers.ts';
export { approveAll, chainHandlers, denyAll } from './deferred/handlers.ts';
export { type DecisionEntry, PendingCall } from './deferred/pending-call.ts';
export { DeferredToolRequests } from './deferred/requests.ts';
export { DeferredToolResults } from './deferred/results.ts';
export {
  AgentError,
  type ErrorCode,
  LedgerError,
  UsageLimitExceeded,
  type UserErrorCode,
} from './errors/agent-errors.ts';
export { FallbackModelsError, ModelError, UnexpectedModelBehavior } from './errors/model-errors.ts';
export {
  AlreadyResumedError,
  InvalidJsonError,
  InvalidResultsError,
  MissingResultsError,
  UserError,
} from './errors/user-errors.ts';
export type {
  DeferredRequestsEvent,
  DeferredResultsEvent,
  FinalResultEvent,
  OutputToolCallEvent,
  OutputToolResultEvent,
  StepEvent,
  ToolCallEvent,
  ToolEvent,
  ToolResultEvent,
} from './events/run-events.ts';
export type { ParallelMode } from './execution/scope.ts';
export type { JsonObject, JsonValue } from './internal/json.ts';
export type { Ledger } from './ledger/ledger.ts';
export { MemoryLedger } from './ledger/memory-ledger.ts';
export type { EndStrategy } from './loop/run-setup.ts';
export type { Step } from './loop/step.ts';
export type { CallApproval } from './messages/call-details.ts';
export type { CallDetails } from './messages/call-details.ts';
export { type Codec, messageCodec } from './messages/codec/index.ts';
export { binaryContent, type UserPrompt } from './messages/content.ts';
export type { Message, ModelRequest, ModelResponse } from './messages/message.ts';
export type { RetryPromptPart, ToolReturnPart, UserPromptPart } from './messages/request-part.ts';
export type { TextPart, ToolCallPart } from './messages/response-part.ts';
export { aiSdkModel } from './models/ai-sdk/ai-sdk-model.ts';
export { fallbackModel } from './models/fallback-model.ts';
export type { ModelLike } from './models/infer-model.ts';
export type { Model } from './models/model.ts';
export type { ModelSettings } from './models/settings.ts';
export type { ToolDefinition } from './models/tool-definition.ts';
export {
  nativeOutput,
  noOutput,
  outputFunction,
  type OutputSpec,
  textOutput,
  toolOutput,
} from './output/output-spec.ts';
export { askUser } from './tools/ask-user.ts';
export { tool } from './tools/define-tool.ts';
export { fromJsonSchema } from './tools/input-schema.ts';
export { GateError } from './tools/permit.ts';
export {
  ApprovalRequired,
  CallDeferred,
  InputRequired,
  ModelRetry,
  ToolFailed,
  ToolReturn,
} from './tools/signals.ts';
export type { StandardSchema } from './tools/standard-schema.ts';
export { Tool, type ToolOptions } from './tools/tool.ts';
export { AbstractToolset, WrapperToolset } from './toolsets/abstract-toolset.ts';
export { CombinedToolset } from './toolsets/combined-toolset.ts';
export { DynamicToolset } from './toolsets/dynamic-toolset.ts';
export { ExternalToolset } from './toolsets/external-toolset.ts';
export { FunctionToolset } from './toolsets/function-toolset.ts';
export { inherit } from './toolsets/inherit.ts';
export type { Toolset } from './toolsets/toolset.ts';
export { RunUsage, type UsageLimits } from './usage/usage.ts';
