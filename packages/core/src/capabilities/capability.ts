import type { Instructions } from '../context/instructions.ts';
import type { NativeToolSource, RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handlers.ts';
import type { RunEnd } from '../events/run-end.ts';
import type { StepEvent } from '../events/run-events.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ModelCall, ModelResponseData } from '../models/model.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { Tool } from '../tools/tool.ts';
import type { AbstractToolset } from '../toolsets/abstract-toolset.ts';
import type { ToolsetFactory } from '../toolsets/dynamic-toolset.ts';
import type { ToolSearchOptions } from '../toolsets/tool-search.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import type { HistoryProcessor } from './history-processor.ts';

/**
 * A bundle of instructions, tools, settings and hooks for an agent or a run.
 *
 * Capabilities apply in the order of the list, those of the agent before those of the run. The agent validates their
 * requirements when it is created. `forRun`, and functions among the toolsets, create state for each run.
 *
 * @example
 * const audited: Capability = {
 *   name: 'audited',
 *   async wrapToolExecution({ call }, next) {
 *     log.info('executes', call.toolName)
 *     return next()
 *   },
 * }
 */
export interface Capability<in Deps = unknown> extends CapabilityHooks<Deps> {
  /** The name of the capability in errors, and in the requirements of other capabilities. */
  readonly name: string;
  /** Capabilities that this one requires. */
  readonly requires?: readonly string[] | undefined;
  /** Capabilities that exclude this one. The name of this capability means that there can be only one of it. */
  readonly conflictsWith?: readonly string[] | undefined;
  /** Capabilities that must come before this one, if they are present. */
  readonly after?: readonly string[] | undefined;
  /** Creates the hooks for one run, with their own state. They replace the hooks of this object. */
  readonly forRun?:
    | ((ctx: RunContext<Deps>) => CapabilityHooks<Deps> | Promise<CapabilityHooks<Deps>>)
    | undefined;
  /** Instructions that follow those of the agent. */
  readonly instructions?: Instructions<Deps> | undefined;
  readonly tools?: readonly Tool<Deps>[] | Readonly<Record<string, Tool<Deps>>> | undefined;
  /** Toolsets, and functions that create one for each run. */
  readonly toolsets?: readonly (Toolset<Deps> | ToolsetFactory<Deps>)[] | undefined;
  /** Changes all tools of the run, including those of the agent and of other capabilities. */
  readonly changeTools?:
    | (<Inner>(tools: AbstractToolset<Inner>) => AbstractToolset<Inner & Deps>)
    | undefined;
  readonly nativeTools?: readonly NativeToolSource<Deps>[] | undefined;
  /** Settings that override those of the agent. Settings of the run override them. */
  readonly modelSettings?: SettingsSource<Deps> | undefined;
  /** Functions that change the history before each request. */
  readonly historyProcessors?: readonly HistoryProcessor<Deps>[] | undefined;
  /** Options of the search for hidden tools. */
  readonly toolSearch?: ToolSearchOptions | undefined;
}

/** Settings, or a function that returns them for each request. */
export type SettingsSource<Deps = unknown> =
  | ModelSettings
  | ((ctx: RunContext<Deps>) => ModelSettings | undefined | Promise<ModelSettings | undefined>);

/**
 * Functions of a capability that are called during a run.
 *
 * Each `wrap…` hook receives `next`, which executes the wrapped operation. The first capability in the list is the
 * outermost.
 */
export interface CapabilityHooks<in Deps = unknown> {
  /** Wraps the whole run. The returned value is the end of the run. */
  readonly wrapRun?:
    | ((next: () => Promise<RunEnd>, ctx: RunContext<Deps>) => Promise<RunEnd>)
    | undefined;
  /**
   * Wraps a model request; `next` accepts a changed request. The hook is part of the recorded step: a replayed run uses
   * the recorded response.
   */
  readonly wrapModelRequest?:
    | ((
        call: ModelCall,
        next: (call: ModelCall) => Promise<ModelResponseData>,
        ctx: RunContext<Deps>,
      ) => Promise<ModelResponseData>)
    | undefined;
  /**
   * Wraps the validation of a call's arguments; `next` accepts changed arguments. Throw `ModelRetry` to return the call to
   * the model, or `ApprovalRequired` to request an approval. A call is invalid if the hook does not call `next`.
   *
   * The arguments of an approved call cannot change.
   */
  readonly wrapToolValidation?:
    | ((
        call: CallToValidate,
        next: (args: JsonObject) => Promise<ArgsValidation>,
        ctx: RunContext<Deps>,
      ) => Promise<void>)
    | undefined;
  /**
   * Wraps the execution of a permitted call. `next` returns the value of the tool or throws its error, and can be called
   * once. The hook is part of the recorded step: a replayed run uses the recorded outcome.
   */
  readonly wrapToolExecution?:
    | ((call: CallToExecute, next: () => Promise<unknown>, ctx: RunContext<Deps>) => unknown)
    | undefined;
  /**
   * Wraps the output function and the output validators, which receive a value that matches the schema. Throw
   * `ModelRetry` to return the output to the model.
   */
  readonly wrapOutput?:
    | ((
        value: unknown,
        next: (value: unknown) => Promise<unknown>,
        ctx: RunContext<Deps>,
      ) => Promise<unknown>)
    | undefined;
  /** Receives the events of the run, and the run waits for it. */
  readonly onEvent?:
    | ((event: StepEvent, ctx: RunContext<Deps>) => void | Promise<void>)
    | undefined;
  /**
   * Decides deferred calls while the run waits for it. It may leave calls pending: the next capability receives them, and
   * finally the `deferredToolHandler` of the run.
   */
  readonly handleDeferredToolCalls?: DeferredToolHandler<Deps> | undefined;
}

/** A call whose arguments are validated. */
export interface CallToValidate {
  readonly call: ToolCallPart;
  readonly definition: ToolDefinition;
  /** The parsed arguments that the model sent. */
  readonly args: JsonObject;
}

/** The result of validating arguments. */
export type ArgsValidation =
  | { readonly ok: true /** The arguments for the tool. */; readonly args: unknown }
  | { readonly ok: false; readonly problem: string | readonly ValidationIssue[] };

/** A call that is about to execute. */
export interface CallToExecute {
  readonly call: ToolCallPart;
  readonly definition: ToolDefinition;
  /** The arguments with which it executes; frozen. */
  readonly args: unknown;
}
