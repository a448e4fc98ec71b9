import type { CallApproval } from '../messages/call-details.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { Message } from '../messages/message.ts';
import type { Model } from '../models/model.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { RunUsage } from '../usage/usage.ts';
import type { NativeTool } from '../models/native-tool.ts';

/** The context of a run, for its tools, validators, instructions and hooks. */
export interface RunContext<Deps = unknown> {
  /** The dependencies that the application passed to the run. */
  readonly deps: Deps;
  readonly model: Model;
  /** The usage so far. It is updated during the run. */
  readonly usage: RunUsage;
  readonly agent: AgentInfo;
  /** The prompt of the run. */
  readonly prompt: UserPrompt | undefined;
  /** The conversation so far. The list grows during the run. */
  readonly messages: readonly Message[];
  /** The value that the application passed for validating arguments and outputs. */
  readonly validationContext: unknown;
  /** Retries so far, by tool name; no prototype. */
  readonly retries: Readonly<Record<string, number>>;
  /** The id of the current call; `undefined` outside of a call. */
  readonly toolCallId: string | undefined;
  /** The name of the tool in its toolset; `undefined` outside of a call. */
  readonly toolName: string | undefined;
  /** Retries so far of this tool, or of the output. */
  readonly retry: number;
  /** Retries allowed for this tool, or for the output. */
  readonly maxRetries: number;
  /** True if another failure ends the run. */
  readonly lastAttempt: boolean;
  /** The number of the step. Each model request starts one. It is 0 before the first request of a resumed run. */
  readonly runStep: number;
  /** True if an approver approved this call. */
  readonly toolCallApproved: boolean;
  /**
   * A key that is the same for every attempt to execute this call, in every process, and different for every other
   * call. `undefined` outside of a call.
   */
  readonly idempotencyKey: string | undefined;
  /** The metadata of the decision that approved this call. */
  readonly toolCallMetadata: JsonValue | undefined;
  /**
   * The approver of this call, if the decision names one; `undefined` for calls that needed no
   * approval. Use it for records and messages. The call still executes on behalf of the requester.
   */
  readonly approval: CallApproval | undefined;
  /** The input for the latest question of this call, validated; `undefined` if there is none yet. */
  readonly input: JsonValue | undefined;
  /** The inputs for all questions of this call, in the order of the questions. */
  readonly inputs: readonly JsonValue[];
  /**
   * The `state` of the latest question of this call; `undefined` without a state or without an
   * input.
   */
  readonly questionState: JsonObject | undefined;
  /** True if the output being validated is incomplete. */
  readonly partialOutput: boolean;
  readonly runId: string;
  readonly conversationId: string;
  /** The metadata that the application attached to the run. */
  readonly metadata: JsonObject | undefined;
  /** The settings of the current model request; `undefined` before the first. */
  readonly modelSettings: ModelSettings | undefined;
  /** Calls other tools of this run, through the same gate as the model. */
  readonly toolManager: ToolCaller;
  /** Aborts when the run is aborted and, in a tool, when its call is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * The context of a tool call, for the callbacks of a tool. It always has a call.
 *
 * @example
 * execute: ({ euros }, ctx: ToolContext<Bank>) => ctx.deps.pay(euros, ctx.idempotencyKey)
 */
export interface ToolContext<Deps = unknown> extends RunContext<Deps> {
  readonly toolCallId: string;
  readonly toolName: string;
  /**
   * A key that is the same for every attempt to execute this call, in every process, and different for every other
   * call. Pass it to services that accept an idempotency key, such as payment providers.
   */
  readonly idempotencyKey: string;
}

/**
 * The agent of a run, without the types of its deps and its output.
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

/** An object that calls tools of a run by name. */
export interface ToolCaller {
  /**
   * Validates the arguments, executes the tool and returns its value.
   *
   * Throws `ModelRetry` if the arguments are invalid, if the tool does not exist, or if the tool throws it. Nothing is
   * added to the history.
   */
  call(toolName: string, args?: JsonObject): Promise<JsonValue>;
}

/** A native tool, or a function that returns it in the steps in which it is available. */
export type NativeToolSource<Deps = unknown> =
  | NativeTool
  | ((
      ctx: RunContext<Deps>,
    ) => NativeTool | undefined | null | Promise<NativeTool | undefined | null>);
