import type { JsonObject, JsonValue } from 'holdpoint';
import type { ToolKind } from 'holdpoint/tools';

/** One scenario as `data/README.md` describes it. `null` for an optional field means absent. */
export interface Scenario {
  readonly name: string;
  readonly group: string;
  readonly description?: string;
  readonly agents: Readonly<Record<string, AgentSpec>>;
  readonly runs: readonly RunSpec[];
  readonly enter_agent?: number | null;
  readonly expected: JsonObject;
}

export interface AgentSpec {
  readonly model: readonly ResponseSpec[];
  readonly output?: readonly OutputSpec[] | null;
  readonly tools?: readonly ToolSpec[] | null;
  readonly toolsets?: readonly ToolsetSpec[] | null;
  readonly handlers?: readonly OneOrMore<HandlerSpec>[] | null;
  readonly end_strategy?: 'early' | 'graceful' | 'exhaustive' | null;
  readonly retries?: RetriesSpec | null;
  readonly tool_timeout?: number | null;
  readonly system_prompt?: string | null;
  readonly instructions?: string | null;
  readonly prepare_tools?: EditSpec | null;
  readonly output_validator?: OneOrMore<Behaviour> | null;
  readonly history_processor?: HistoryProcessorSpec | null;
  readonly tool_search?: { readonly max_results?: number | null } | null;
}

export type RetriesSpec =
  | number
  | { readonly tools?: number | null; readonly output?: number | null };

export type HistoryProcessorSpec =
  | { readonly do: 'keep_last'; readonly n: number }
  | { readonly do: 'empty' | 'drop_last' };

/** The response of the scripted model to one request, or the error that it throws. */
export interface ResponseSpec {
  readonly parts?: readonly ResponsePartSpec[] | null;
  readonly finish_reason?: string | null;
  readonly error?: { readonly type: string; readonly message: string } | null;
}

export type ResponsePartSpec =
  | {
      readonly kind: 'text' | 'thinking';
      readonly content: string;
      readonly chunks?: readonly string[] | null;
    }
  | {
      readonly kind: 'tool-call';
      readonly tool_name: string;
      readonly args?: JsonObject | string | null;
      readonly tool_call_id?: string | null;
    };

export type OutputSpec = 'text' | 'deferred' | 'none' | StructuredOutputSpec;

export interface StructuredOutputSpec {
  readonly name: string;
  readonly fields: Params;
  readonly tool_name?: string | null;
  readonly max_retries?: number | null;
  readonly sequential?: boolean | null;
  readonly native?: boolean | null;
}

/** The parameters of a tool or the fields of an output, by name. */
export type Params = Readonly<Record<string, ParamSpec>>;

export interface ParamSpec {
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'object' | 'array';
  /** The default. It can be `null`. */
  readonly default?: JsonValue;
}

export interface ToolSpec {
  readonly name: string;
  readonly params?: Params | null;
  readonly behavior: OneOrMore<Behaviour>;
  readonly requires_approval?: boolean | null;
  readonly sequential?: boolean | null;
  readonly max_retries?: number | null;
  readonly timeout?: number | null;
  readonly metadata?: JsonObject | null;
  readonly defer_loading?: boolean | null;
  readonly description?: string | null;
  readonly args_validator?: OneOrMore<Behaviour> | null;
  readonly prepare?: PrepareSpec | null;
}

/**
 * One value for all uses of a name, or a list with a value per use. The last value of a list
 * repeats.
 */
export type OneOrMore<T> = T | readonly T[];

export type PrepareSpec =
  | { readonly do: 'hide' }
  | { readonly do: 'hide_from_step'; readonly step: number }
  | { readonly do: 'rename'; readonly name: string }
  | { readonly do: 'kind'; readonly kind: ToolKind }
  | { readonly do: 'kind_from_step'; readonly kind: ToolKind; readonly step: number };

export type ToolsetSpec =
  | FunctionToolsetSpec
  | {
      readonly type: 'external';
      readonly tools: readonly ExternalToolSpec[];
      readonly id?: string | null;
    }
  | { readonly type: 'prefixed'; readonly prefix: string; readonly wrapped: ToolsetSpec }
  | {
      readonly type: 'renamed';
      /** The old names by their new names. */
      readonly map: Readonly<Record<string, string>>;
      readonly wrapped: ToolsetSpec;
    }
  | {
      readonly type: 'approval_required';
      readonly when?: WhenSpec | null;
      readonly wrapped: ToolsetSpec;
    }
  | { readonly type: 'combined'; readonly toolsets: readonly ToolsetSpec[] }
  | DynamicToolsetSpec
  | LoggedToolsetSpec
  | { readonly type: 'filtered'; readonly filter: FilterSpec; readonly wrapped: ToolsetSpec }
  | { readonly type: 'prepared'; readonly edit: EditSpec; readonly wrapped: ToolsetSpec }
  | { readonly type: 'metadata'; readonly metadata: JsonObject; readonly wrapped: ToolsetSpec }
  | {
      readonly type: 'defer_loading';
      /** The tools to hide. If it is missing, all are hidden. */
      readonly names?: readonly string[] | null;
      readonly wrapped: ToolsetSpec;
    };

/** The filter of a `filtered` toolset: `allow`, `deny`, or `deny_from_step` with `names`. */
export interface FilterSpec {
  readonly allow?: readonly string[] | null;
  readonly deny?: readonly string[] | null;
  readonly deny_from_step?: number | null;
  readonly names?: readonly string[] | null;
}

/** The edits of a prepare function to the tools of a step. It uses the names before the edits. */
export interface EditSpec {
  readonly drop?: readonly string[] | null;
  /**
   * The first step without a tool, by tool. A single number applies to the tools in `names` or
   * `drop`, or to all.
   */
  readonly drop_from_step?: number | Readonly<Record<string, number>> | null;
  readonly names?: readonly string[] | null;
  readonly kind?: ToolKind | Readonly<Record<string, ToolKind>> | null;
  readonly describe?: string | Readonly<Record<string, string>> | null;
  /** The new names by their old names. */
  readonly rename?: Readonly<Record<string, string>> | null;
  readonly add?: readonly string[] | null;
  readonly return_none?: boolean | null;
}

export interface FunctionToolsetSpec {
  readonly type: 'function';
  readonly tools: readonly ToolSpec[];
  readonly id?: string | null;
  readonly max_retries?: number | null;
  readonly timeout?: number | null;
  readonly instructions?: string | null;
  readonly metadata?: JsonObject | null;
  readonly requires_approval?: boolean | null;
}

export interface ExternalToolSpec {
  readonly name: string;
  readonly schema?: JsonObject | null;
}

/** The conditions of an `approval_required` toolset. Calls that meet all of them need approval. */
export type WhenSpec =
  | 'always'
  | {
      readonly tool_in?: readonly string[] | null;
      readonly arg_gt?: Readonly<Record<string, number>> | null;
    };

export interface DynamicToolsetSpec {
  readonly type: 'dynamic';
  /**
   * The toolset that the factory creates in each step, or `null` for none. The last one repeats.
   */
  readonly by_step: readonly (ToolsetSpec | null)[];
  readonly per_run_step?: boolean | null;
  /** True if the factory returns the toolset that it created before. */
  readonly reuse?: boolean | null;
  readonly id?: string | null;
}

/** Logs the method calls of the toolset that it wraps. */
export interface LoggedToolsetSpec {
  readonly type: 'logged';
  readonly tag: string;
  readonly wrapped: ToolsetSpec;
  readonly fresh_per_run?: boolean | null;
  readonly fail_enter?: boolean | null;
}

/** The behaviour of a handler of deferred calls. */
export type HandlerSpec =
  | { readonly do: 'approve_all'; readonly metadata?: Readonly<Record<string, JsonObject>> | null }
  | ({ readonly do: 'results' } & ResultsSpec)
  | ({ readonly do: 'build_results'; readonly approve_all?: boolean | null } & ResultsSpec)
  | ({ readonly do: 'by_tool' } & Pick<ResultsSpec, 'approvals' | 'calls'>)
  | { readonly do: 'decline' }
  | { readonly do: 'throw'; readonly error: string; readonly message: string }
  | RunAgentBehaviour;

/** Decisions and results for deferred calls, by tool call id or by tool name. */
export interface ResultsSpec {
  readonly approvals?: Readonly<Record<string, ApprovalSpec>> | null;
  readonly calls?: Readonly<Record<string, CallResultSpec>> | null;
  readonly metadata?: Readonly<Record<string, JsonObject>> | null;
}

export type ApprovalSpec =
  | boolean
  | { readonly approved: true; readonly override_args?: JsonObject | null }
  | { readonly denied: true; readonly message?: string | null };

export type CallResultSpec =
  | { readonly value: JsonValue }
  | {
      readonly tool_return: {
        readonly value: JsonValue;
        readonly content?: string | null;
        readonly metadata?: JsonValue;
      };
    }
  | { readonly model_retry: string }
  | { readonly retry_prompt: string }
  | { readonly tool_failed: string };

/** The behaviour of a tool or a validator of the scenario. */
export type Behaviour =
  | { readonly do: 'ok' }
  | { readonly do: 'return'; readonly value: JsonValue }
  | { readonly do: 'echo' }
  | { readonly do: 'retry'; readonly message: string }
  | { readonly do: 'fail'; readonly message: string }
  | {
      readonly do: 'tool_return';
      readonly value: JsonValue;
      readonly content?: string | null;
      readonly metadata?: JsonValue;
      readonly tools?: readonly string[] | null;
    }
  | { readonly do: 'tool_return_list'; readonly values: readonly JsonValue[] }
  | { readonly do: 'sleep'; readonly ms: number; readonly then: Behaviour }
  | { readonly do: 'throw'; readonly error: string; readonly message: string }
  | {
      readonly do: 'if_arg';
      readonly arg: string;
      readonly equals: JsonValue;
      readonly then: Behaviour;
      readonly else: Behaviour;
    }
  | RunAgentBehaviour
  | {
      readonly do: 'require_approval';
      readonly metadata?: JsonObject | null;
      readonly then: Behaviour;
    }
  | { readonly do: 'raise_approval' | 'defer'; readonly metadata?: JsonObject | null };

export interface RunAgentBehaviour {
  readonly do: 'run_agent';
  readonly agent: string;
  readonly prompt: string;
  readonly share_usage?: boolean | null;
  readonly pass_usage_limits?: boolean | null;
  readonly on_deferred?: 'describe' | 'bubble' | null;
}

export interface RunSpec {
  readonly agent?: string | null;
  readonly prompt?: string | null;
  readonly history?: 'none' | 'previous' | { readonly run: number } | readonly MessageSpec[] | null;
  readonly deferred_results?: ResultsSpec | null;
  readonly usage_limits?: Readonly<Record<string, number | null>> | null;
  readonly usage?: 'previous' | null;
  readonly output?: readonly OutputSpec[] | null;
  readonly toolsets?: readonly ToolsetSpec[] | null;
  readonly handlers?: readonly OneOrMore<HandlerSpec>[] | null;
  readonly retries?: RetriesSpec | null;
  readonly instructions?: string | null;
  readonly conversation_id?: string | null;
  readonly run_id?: string | null;
  readonly parallel_mode?: 'parallel' | 'sequential' | 'parallel_ordered_events' | null;
  readonly serialize?: boolean | null;
  readonly mode?: 'iter' | 'stream_events' | 'run_stream' | null;
}

/** A message in the history of a scenario or in a unit case. */
export interface MessageSpec {
  readonly kind: 'request' | 'response';
  readonly parts: readonly PartSpec[];
  readonly instructions?: string | null;
  readonly state?: string | null;
  readonly model?: string | null;
  readonly run_id?: string | null;
  readonly conversation_id?: string | null;
}

export interface PartSpec {
  readonly kind: string;
  readonly content?: JsonValue;
  readonly tool_name?: string | null;
  readonly tool_call_id?: string | null;
  readonly args?: JsonObject | string | null;
  readonly outcome?: string | null;
  readonly metadata?: JsonValue;
  readonly tool_kind?: string | null;
  readonly tools_added?: readonly string[] | null;
}
