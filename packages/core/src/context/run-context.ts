import type { CallApproval } from '../messages/call-approval.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { Message } from '../messages/message.ts';
import type { Model } from '../models/model.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { Tracer } from './tracer.ts';

/** What tools, validators, instructions and hooks are told about the run that they are part of. */
export interface RunContext<Deps = unknown> {
  /** What the application gave the run. */
  readonly deps: Deps;
  readonly model: Model;
  /** What has been used so far; it goes on counting. */
  readonly usage: RunUsage;
  readonly agent: AgentInfo;
  /** What the run was started with. */
  readonly prompt: UserPrompt | undefined;
  /** The conversation so far; the list grows as the run goes on. */
  readonly messages: readonly Message[];
  /** What the application gave for validating arguments and outputs. */
  readonly validationContext: unknown;
  readonly tracer: Tracer;
  /** Whether traces may hold what was said. */
  readonly traceIncludeContent: boolean;
  /** Retries so far, by tool name; no prototype. */
  readonly retries: Readonly<Record<string, number>>;
  /** The call being handled; `undefined` outside of one. */
  readonly toolCallId: string | undefined;
  /** The tool being called, by the name that its toolset knows; `undefined` outside of a call. */
  readonly toolName: string | undefined;
  /** Retries so far of this tool, or of the output. */
  readonly retry: number;
  /** Retries allowed for this tool, or for the output. */
  readonly maxRetries: number;
  /** Whether a further failure ends the run. */
  readonly lastAttempt: boolean;
  /** The number of the step: each model request begins one; 0 for what a resumed run does before its first. */
  readonly runStep: number;
  /** Whether somebody approved this very call. */
  readonly toolCallApproved: boolean;
  /**
   * The same for every attempt to run this call, in every process, and different for every other call:
   * what a payment provider wants to be told. `undefined` outside of a call.
   */
  readonly idempotencyKey: string | undefined;
  /** What came with the approval of this call. */
  readonly toolCallMetadata: JsonValue | undefined;
  /**
   * Who has approved this call, where whoever answered has said so; `undefined` for calls that needed no
   * approval. It is for records and messages: the call runs for whoever asked for it.
   */
  readonly approval: CallApproval | undefined;
  /** Whether the output being validated is still coming in. */
  readonly partialOutput: boolean;
  readonly runId: string;
  readonly conversationId: string;
  /** What the application attached to the run. */
  readonly metadata: JsonObject | undefined;
  /** The settings of the current model request; `undefined` before the first. */
  readonly modelSettings: ModelSettings | undefined;
  /** Calls other tools of this run, through the same gate as the model. */
  readonly toolManager: ToolCaller;
  /** Aborts when the run is aborted and, in a tool, when its call is no longer wanted. */
  readonly signal: AbortSignal;
}

/**
 * The context of a tool call: the callbacks of a tool get it, and it always knows the call.
 *
 * @example
 * execute: ({ euros }, ctx: ToolContext<Bank>) => ctx.deps.pay(euros, ctx.idempotencyKey)
 */
export interface ToolContext<Deps = unknown> extends RunContext<Deps> {
  readonly toolCallId: string;
  readonly toolName: string;
  /**
   * The same for every attempt to execute this call, in every process, and different for every other
   * call. Pass it to services that accept an idempotency key, such as payment providers.
   */
  readonly idempotencyKey: string;
}

/**
 * The agent of a run, as a context knows it: without the types of its deps and its output.
 *
 * It is the `Agent` itself, so `ctx.agent instanceof Agent` and `ctx.agent === agent` hold.
 */
export interface AgentInfo {
  readonly name: string | undefined;
  /** Executes another run of the agent. Pass the deps that it needs, and `parent: ctx` inside a call. */
  run(prompt?: UserPrompt, options?: AgentRunOptions): Promise<AgentRunResult>;
}

/** Options of a run that starts from a context. */
export interface AgentRunOptions {
  readonly deps?: unknown;
  /** The context of the call or hook that starts this run; see `parent` of `RunOptions`. */
  readonly parent?: RunContext | undefined;
  readonly messageHistory?: readonly Message[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The end of a run that started from a context. */
export interface AgentRunResult {
  readonly status: 'finished' | 'parked';
  readonly output: unknown;
  readonly messages: readonly Message[];
  readonly usage: RunUsage;
  readonly runId: string;
  readonly conversationId: string;
}

/** Calls tools of a run by name. */
export interface ToolCaller {
  /**
   * Validates the arguments and executes the tool; gives what the tool returned.
   *
   * Arguments that do not fit, a tool that is not there and a `ModelRetry` of the tool are thrown as
   * `ModelRetry`. Nothing is added to the history.
   */
  call(toolName: string, args?: JsonObject): Promise<JsonValue>;
}
