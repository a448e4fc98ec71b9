import type { CallApproval } from '../messages/call-approval.ts';
import type { JsonValue } from '../messages/json.ts';
import type { ModelResponse, SpentUsage } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { type RunUsage, UsageMeter } from '../usage/run-usage.ts';
import { Cancellation } from './cancellation.ts';
import type { RequestState } from './request-scope.ts';

/** What is particular to one call or one output. */
export interface CallFacts {
  /** The call as the model made it; not there for outputs. */
  readonly call?: ToolCallPart;
  /** Where there is no call, or the tool goes by another name. */
  readonly toolName?: string;
  /** Where there is no call. */
  readonly toolCallId?: string;
  /** The response that it belongs to. */
  readonly response?: ModelResponse | undefined;
  readonly retry?: number;
  readonly maxRetries?: number;
  /** Somebody has let the call through, and what they said. */
  readonly approval?:
    | { readonly metadata?: JsonValue | undefined; readonly given?: CallApproval | undefined }
    | undefined;
  readonly partialOutput?: boolean;
  readonly scope?: CallState | undefined;
  /** The model request whose hook this is for. */
  readonly request?: RequestState | undefined;
  /** Deps of another run, for tools that belong to that one. */
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

/** What is known of a call before it runs. */
export type InitialCallFacts = Required<
  Pick<CallFacts, 'call' | 'response' | 'retry' | 'maxRetries' | 'approval'>
>;

/**
 * What belongs to one tool call, however many contexts look at it: the facts about it, and how far it
 * has come.
 */
export class CallState implements CallFacts {
  readonly call: InitialCallFacts['call'];
  readonly response: InitialCallFacts['response'];
  readonly retry: number;
  readonly maxRetries: number;
  readonly approval: InitialCallFacts['approval'];
  readonly #parent: Cancellation;
  readonly #caller: CallState | undefined;
  #cancellation: Cancellation | undefined;
  #reached: 'gate' | 'step' | 'tool' = 'gate';
  #meter: UsageMeter | undefined;

  /** `caller`: the call of a tool that has made this one, whose step it is part of. */
  constructor(facts: InitialCallFacts, parent: Cancellation, caller?: CallState) {
    this.call = facts.call;
    this.response = facts.response;
    this.retry = facts.retry;
    this.maxRetries = facts.maxRetries;
    this.approval = facts.approval;
    this.#parent = parent;
    this.#caller = caller;
  }

  get scope(): this {
    return this;
  }

  /** Cancelled when the call is no longer wanted. */
  get cancellation(): Cancellation {
    this.#cancellation ??= new Cancellation(this.#parent);
    return this.#cancellation;
  }

  /** The call is over: it does not listen any more. */
  end(): void {
    this.#cancellation?.release();
  }

  /** Whether its step was begun here, and not played back. */
  get hasBegun(): boolean {
    return this.#reached !== 'gate';
  }

  /** Whether the call is being executed, which is recorded as one step. */
  get isExecuting(): boolean {
    return this.#reached === 'tool' || (this.#caller?.isExecuting ?? false);
  }

  /** The step of the call begins. */
  beginStep(): void {
    this.#reached = 'step';
  }

  /** The call is executed from here on; what was used before that is not part of the step. */
  beginExecution(): void {
    this.#reached = 'tool';
    this.#meter = undefined;
  }

  /** The run's usage, as seen from this call. */
  usageOf(total: RunUsage): RunUsage {
    this.#meter ??= new UsageMeter(this.#caller?.usageOf(total) ?? total);
    return this.#meter.usage;
  }

  /** What was used through this call; `undefined` if nothing was. */
  get spent(): SpentUsage | undefined {
    return this.#meter?.spent;
  }
}
