import type { CallApproval } from '../messages/call-approval.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ModelResponse, SpentUsage } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { type RunUsage, UsageMeter } from '../usage/run-usage.ts';
import { Cancellation } from './cancellation.ts';

/** The facts about one call or one output. */
export interface CallFacts {
  /** The call as the model sent it; absent for outputs. */
  readonly call?: ToolCallPart;
  /** The name of the tool, if there is no call or the toolset knows the tool by another name. */
  readonly toolName?: string;
  /** The id of the call, if `call` is absent. */
  readonly toolCallId?: string;
  /** The response that it belongs to. */
  readonly response?: ModelResponse | undefined;
  readonly retry?: number;
  readonly maxRetries?: number;
  /** The approval of the call, if an approver has approved it. */
  readonly approval?:
    | {
        readonly overrideArgs?: JsonObject | undefined;
        readonly metadata?: JsonValue | undefined;
        readonly given?: CallApproval | undefined;
        readonly inputs?: readonly JsonValue[] | undefined;
        readonly isApproved?: boolean | undefined;
      }
    | undefined;
  readonly partialOutput?: boolean;
  readonly scope?: CallState | undefined;
  /** The model request whose hook this is for. */
  readonly request?: RequestState | undefined;
  /** The deps of another run, for tools that belong to that run. */
  readonly foreign?: { readonly deps: unknown };
}

/**
 * Returns whether a context belongs to code inside a step, which the environment does not observe.
 *
 * Partial outputs count as such: a replay has other ones, because it receives responses whole.
 */
export function isInsideStep({ scope, request, partialOutput }: CallFacts): boolean {
  return scope?.isExecuting === true || request !== undefined || partialOutput === true;
}

/** The facts about a call before it executes. */
export type InitialCallFacts = Required<
  Pick<CallFacts, 'call' | 'response' | 'retry' | 'maxRetries' | 'approval'>
>;

/** The state of one tool call, shared by all its contexts: the facts about it and its progress. */
export class CallState implements CallFacts {
  readonly call: InitialCallFacts['call'];
  readonly response: InitialCallFacts['response'];
  readonly retry: number;
  readonly maxRetries: number;
  readonly approval: InitialCallFacts['approval'];
  /** Cancelled when the call is no longer wanted. */
  readonly cancellation: Cancellation;
  readonly #caller: CallState | undefined;
  /** The progress of the call. It stays `gate` if its step is replayed and not executed. */
  phase: 'gate' | 'step' | 'execution' = 'gate';
  #meter: UsageMeter | undefined;

  /** `caller`: the call whose tool made this one. This call is part of its step. */
  constructor(facts: InitialCallFacts, parent: Cancellation, caller?: CallState) {
    this.call = facts.call;
    this.response = facts.response;
    this.retry = facts.retry;
    this.maxRetries = facts.maxRetries;
    this.approval = facts.approval;
    this.cancellation = new Cancellation(parent);
    this.#caller = caller;
  }

  get scope(): this {
    return this;
  }

  /** True if the call, or the call that made it, executes now. */
  get isExecuting(): boolean {
    return this.phase === 'execution' || (this.#caller?.isExecuting ?? false);
  }

  /** Marks the start of the execution. Usage before it is not part of the step. */
  beginExecution(): void {
    this.phase = 'execution';
    this.#meter = undefined;
  }

  /** Returns the run's usage; counts made through it belong to this call. */
  usageOf(total: RunUsage): RunUsage {
    this.#meter ??= new UsageMeter(this.#caller?.usageOf(total) ?? total);
    return this.#meter.usage;
  }

  /** The usage of this call; `undefined` if there is none. */
  get spent(): SpentUsage | undefined {
    return this.#meter?.spent;
  }
}

/** A model request while its step executes. The usage of hooks around it is recorded with the step. */
export class RequestState {
  #meter: UsageMeter | undefined;

  /** Returns the run's usage; counts made through it belong to this request. */
  usageOf(total: RunUsage): RunUsage {
    this.#meter ??= new UsageMeter(total);
    return this.#meter.usage;
  }

  /** The usage of hooks around the request; `undefined` if there is none. */
  get spent(): SpentUsage | undefined {
    return this.#meter?.spent;
  }
}
