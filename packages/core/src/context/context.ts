import type { CallApproval } from '../messages/call-details.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { Message, ModelResponse, SpentUsage } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { Model } from '../models/model.ts';
import type { ModelSettings } from '../models/settings.ts';
import { type RunUsage, UsageMeter } from '../usage/usage.ts';
import { Cancellation } from './cancellation.ts';
import { UserError } from '../errors/user-errors.ts';
import type { AgentInfo, RunContext, ToolCaller, ToolContext } from './run-context.ts';

/** The facts about a run that its contexts share. */
export interface RunFacts<out Deps> {
  readonly deps: Deps;
  readonly model: Model;
  readonly usage: RunUsage;
  readonly agent: AgentInfo;
  readonly prompt: UserPrompt | undefined;
  readonly messages: readonly Message[];
  readonly validationContext: unknown;
  readonly runStep: number;
  readonly runId: string;
  readonly conversationId: string;
  readonly metadata: JsonObject | undefined;
  readonly modelSettings: ModelSettings | undefined;
  readonly retries: Readonly<Record<string, number>>;
  /** Returns `RunContext.idempotencyKey`. `position`: the response and the step of the call. */
  idempotencyKey(
    call: ToolCallPart,
    position: { readonly response: ModelResponse | undefined; readonly runStep: number },
  ): string;
  readonly toolManager: { callerFor(caller: CallFacts): ToolCaller };
  readonly cancellation: Cancellation;
}

const NO_INPUTS: readonly JsonValue[] = Object.freeze([]);

/** The context of a step, a call or an output: the facts about its run, and its own. */
export class Context<out Deps> implements RunContext<Deps> {
  readonly #run: RunFacts<Deps>;
  readonly #call: CallFacts;
  /** The step in which this context was created. It does not change during a long call. */
  readonly runStep: number;
  readonly retries: Readonly<Record<string, number>>;

  constructor(run: RunFacts<Deps>, call: CallFacts = {}) {
    this.#run = run;
    this.#call = call;
    this.runStep = run.runStep;
    this.retries = run.retries;
  }

  get deps(): Deps {
    const { foreign } = this.#call;
    // The toolset that set them belongs to the other run, whose deps they are.
    return foreign === undefined ? this.#run.deps : (foreign.deps as Deps);
  }
  get model(): Model {
    return this.#run.model;
  }
  get usage(): RunUsage {
    const { scope, request } = this.#call;
    return (scope ?? request)?.usageOf(this.#run.usage) ?? this.#run.usage;
  }
  get agent(): AgentInfo {
    return this.#run.agent;
  }
  get prompt(): UserPrompt | undefined {
    return this.#run.prompt;
  }
  get messages(): readonly Message[] {
    return this.#run.messages;
  }
  get validationContext(): unknown {
    return this.#run.validationContext;
  }
  get toolCallId(): string | undefined {
    return this.#call.toolCallId ?? this.#call.call?.toolCallId;
  }
  get toolName(): string | undefined {
    return this.#call.toolName ?? this.#call.call?.toolName;
  }
  get retry(): number {
    return this.#call.retry ?? 0;
  }
  get maxRetries(): number {
    return this.#call.maxRetries ?? 0;
  }
  get lastAttempt(): boolean {
    return this.retry === this.maxRetries;
  }
  get toolCallApproved(): boolean {
    const { approval } = this.#call;
    return approval !== undefined && approval.isApproved !== false;
  }
  get input(): JsonValue | undefined {
    return this.#call.approval?.inputs?.at(-1);
  }
  get inputs(): readonly JsonValue[] {
    return this.#call.approval?.inputs ?? NO_INPUTS;
  }
  get questionState(): JsonObject | undefined {
    return this.inputs.length === 0 ? undefined : this.#call.approval?.questionState;
  }
  get toolCallMetadata(): JsonValue | undefined {
    return this.#call.approval?.metadata;
  }
  get approval(): CallApproval | undefined {
    return this.#call.approval?.given;
  }
  get idempotencyKey(): string | undefined {
    const { call, response } = this.#call;
    return call && this.#run.idempotencyKey(call, { response, runStep: this.runStep });
  }
  get partialOutput(): boolean {
    return this.#call.partialOutput ?? false;
  }
  get runId(): string {
    return this.#run.runId;
  }
  get conversationId(): string {
    return this.#run.conversationId;
  }
  get metadata(): JsonObject | undefined {
    return this.#run.metadata;
  }
  get modelSettings(): ModelSettings | undefined {
    return this.#run.modelSettings;
  }
  get toolManager(): ToolCaller {
    return this.#run.toolManager.callerFor(this.#call);
  }
  get signal(): AbortSignal {
    return (this.#call.scope?.cancellation ?? this.#run.cancellation).signal;
  }

  /** Returns this context with another tool name, for a toolset that renames tools. */
  renamed(toolName: string): Context<Deps> {
    return this.#with({ toolName });
  }

  /** Returns this context with the deps of another run, for tools that belong to that run. */
  withDeps(deps: unknown): Context<Deps> {
    return this.#with({ foreign: { deps } });
  }

  #with(fact: CallFacts): Context<Deps> {
    const { scope } = this.#call;
    return new Context(this.#run, { ...this.#call, scope, ...fact });
  }

  /** Returns the facts behind a context; `undefined` if Holdpoint did not create it. */
  static factsOf(ctx: object): { run: RunFacts<unknown>; call: CallFacts } | undefined {
    // A proxy or a copy of a context has the same members, but not the private ones.
    return typeof ctx === 'object' && #run in ctx
      ? { run: (ctx as Context<unknown>).#run, call: (ctx as Context<unknown>).#call }
      : undefined;
  }
}

/** Returns the context of a tool call as one; throws if the context does not belong to a call. */
export function toolContextOf<Deps>(ctx: RunContext<Deps>): ToolContext<Deps> {
  if (ctx.toolCallId === undefined) {
    throw new UserError(
      'A tool got a context without a tool call, so it has no `toolCallId` and no `idempotencyKey`. ' +
        'Pass the context that the toolset received; do not copy it with `{ ...ctx }`.',
    );
  }
  // With a call id, the context also has a tool name and an idempotency key.
  return ctx as ToolContext<Deps>;
}

/** The facts about one call or one output. */
export interface CallFacts {
  /** The call as the model sent it; absent for outputs. */
  readonly call?: ToolCallPart;
  /** The name of the tool, if the context has no call or the toolset uses another name. */
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
        readonly questionState?: JsonObject | undefined;
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
 * Partial outputs count as such, because a replay receives complete responses and so has other
 * partial outputs.
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
