/** Types around `Agent`, the steps of a run, and the port `Environment`. */

export type {
  AnyTool,
  AnyTools,
  AnyToolsets,
  DepsConsumerOfTool,
  DepsConsumerOfToolset,
  DepsOfAgent,
  DepsOfTools,
  DepsOfToolsets,
  EventOptions,
  ItemOf,
  OverrideOptions,
  PlainToolsets,
  ResumeArguments,
  RunArguments,
} from '../agent/agent-options.ts';
export type { PromptSchema } from '../agent/agent-tool.ts';
export type { OptionsWithDeps, OutputSpecOf, RunStreamOf } from '../agent/agent-with.ts';
export type { CapturedMessages } from '../agent/capture-messages.ts';
export type { EndedRun } from '../agent/run-handle.ts';
export type { PartialOutput } from '../agent/run-stream.ts';
export { type Environment, liveEnvironment } from '../context/environment.ts';
export type { Instruction, Instructions } from '../context/instructions.ts';
export type {
  AgentInfo,
  AgentRunOptions,
  AgentRunResult,
  ToolCaller,
} from '../context/run-context.ts';
export type { FinishedRun, ParkedRun, RunEnd } from '../events/run-end.ts';
export type {
  PartEnd,
  ReplayedEvent,
  ResponseStart,
  RunEvent,
  SubAgentEvent,
  ToolsAvailableEvent,
} from '../events/run-events.ts';
export type {
  AtMostOnce,
  OnAlreadyResumed,
  OnPendingCalls,
  OnToolCalls,
} from '../loop/run-setup.ts';
export type { ApplyResults, CallTools, RequestModel, ResolveDeferred } from '../loop/step.ts';
