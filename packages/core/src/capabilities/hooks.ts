import type { RunContext } from '../context/run-context.ts';
import type { DeferredToolHandler } from '../deferred/handler.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { ModelCall, ModelResponseData } from '../models/model.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { StepEvent } from '../events/run-events.ts';
import type { RunEnd } from '../events/run-end.ts';

/**
 * What a capability does while a run goes on.
 *
 * Each `around…` gets `next`, which does what it is around. The capability that comes first in the
 * list is the outermost.
 */
export interface CapabilityHooks<in Deps = unknown> {
  /** Around the whole run. What it gives is how the run ends. */
  readonly wrapRun?:
    | ((next: () => Promise<RunEnd>, ctx: RunContext<Deps>) => Promise<RunEnd>)
    | undefined;
  /**
   * Around a request to the model; `next` may be given another request. Part of the recorded step: a
   * replayed run takes the answer that was recorded.
   */
  readonly wrapModelRequest?:
    | ((
        call: ModelCall,
        next: (call: ModelCall) => Promise<ModelResponseData>,
        ctx: RunContext<Deps>,
      ) => Promise<ModelResponseData>)
    | undefined;
  /**
   * Around the check of a call's arguments; `next` may be given others. Throw `ModelRetry` to send the
   * call back, `ApprovalRequired` to have it approved. Without `next` the call is not in order.
   *
   * The arguments of an approved call are those that were approved: they cannot be changed any more.
   */
  readonly wrapToolValidation?:
    | ((
        call: CallToValidate,
        next: (args: JsonObject) => Promise<ArgsValidation>,
        ctx: RunContext<Deps>,
      ) => Promise<void>)
    | undefined;
  /**
   * Around the execution of a call, after everything about it is settled: `next` gives what the tool
   * returns or throws, and can be called once. Part of the recorded step: a replayed run takes the
   * outcome that was recorded.
   */
  readonly wrapToolExecution?:
    | ((call: CallToExecute, next: () => Promise<unknown>, ctx: RunContext<Deps>) => unknown)
    | undefined;
  /**
   * Around what makes the output from a value that has passed its schema: the output function and the
   * validators. Throw `ModelRetry` to send it back.
   */
  readonly wrapOutput?:
    | ((
        value: unknown,
        next: (value: unknown) => Promise<unknown>,
        ctx: RunContext<Deps>,
      ) => Promise<unknown>)
    | undefined;
  /** Told what happens; the run waits for it. */
  readonly onEvent?:
    | ((event: StepEvent, ctx: RunContext<Deps>) => void | Promise<void>)
    | undefined;
  /**
   * Answers deferred calls while the run waits. It may leave calls open: the next capability is asked
   * for those, and in the end the run's `deferredToolHandler`.
   */
  readonly handleDeferredToolCalls?: DeferredToolHandler<Deps> | undefined;
}

/** A call whose arguments are to be checked. */
export interface CallToValidate {
  readonly call: ToolCallPart;
  readonly definition: ToolDefinition;
  /** The arguments as they were sent, parsed. */
  readonly args: JsonObject;
}

/** Whether arguments fit. */
export type ArgsValidation =
  | { readonly ok: true /** The arguments as the tool gets them. */; readonly args: unknown }
  | { readonly ok: false; readonly problem: string | readonly ValidationIssue[] };

/** A call that is about to run. */
export interface CallToExecute {
  readonly call: ToolCallPart;
  readonly definition: ToolDefinition;
  /** The arguments that it runs with; frozen. */
  readonly args: unknown;
}
