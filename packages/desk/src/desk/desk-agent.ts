import type {
  Agent,
  JsonValue,
  ParkedResult,
  RunIterator,
  RunResult,
  UserPrompt,
  WrapperAgent,
} from 'holdpoint';
import type { DepsOfAgent, PlainToolsets } from 'holdpoint/agents';
import type { OutputOf } from 'holdpoint/output';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';

/** The facts about a run that its deps are created from. */
export interface RunInfo {
  readonly tenant: string;
  readonly runId: string;
  readonly conversationId: string;
  /** The name of the agent at the desk. */
  readonly agent: string;
  readonly requester: Person | undefined;
}

/** An object that executes runs step by step, as agents do. */
export interface AnyDeskAgent {
  readonly iter: (...args: never) => RunIterator;
}

/** The agents of a desk by name. */
export type AnyDeskAgents = Readonly<Record<string, AnyDeskAgent>>;

/** The deps of an agent. */
export type DepsOf<One> =
  One extends Agent<infer Tools, infer Output, infer Own, infer Toolsets>
    ? DepsOfAgent<Tools, Output, Own, Toolsets>
    : One extends WrapperAgent<infer Tools, infer Output, infer Own, infer Toolsets>
      ? DepsOfAgent<Tools, Output, Own, Toolsets>
      : unknown;

/** An agent of the desk, and the function that creates its deps in every process that executes a run. */
export type DeskAgent<One> = { readonly agent: One } & DeskAgentDeps<One>;

/** The option `deps` of an agent: required if the agent needs deps. */
export type DeskAgentDeps<One> =
  unknown extends DepsOf<One>
    ? { readonly deps?: ((run: RunInfo) => unknown) | undefined }
    : { readonly deps: (run: RunInfo) => DepsOf<One> | Promise<DepsOf<One>> };

/**
 * The names of the tools of agents, if their types have them: those of agents without `toolsets`. Otherwise `string`.
 */
export type ToolNamesOf<Agents> = {
  [Name in keyof Agents]: ToolNameOf<Agents[Name]>;
}[keyof Agents];

/** The names of the tools of one agent. */
export type ToolNameOf<One> =
  One extends Agent<infer Tools, infer _Output, infer _Own, infer Toolsets>
    ? PlainToolsets extends Toolsets
      ? NameInTools<Tools>
      : string
    : string;

/** The names of tools in a list or a record; `string` if the type of a tool in a list does not have its name. */
export type NameInTools<Tools> = Tools extends readonly (infer One)[]
  ? One extends { readonly name: infer Name extends string }
    ? Name
    : string
  : keyof Tools & string;

/** A run of one of the agents of a desk. Its `agent` determines the type of its `output`. */
export type RunOf<Agents> = string extends keyof Agents
  ? RunRow
  : {
      [Name in keyof Agents & string]: Omit<RunRow, 'agent' | 'output'> & {
        readonly agent: Name;
        readonly output?: StoredOutputOf<Agents[Name]> | undefined;
      };
    }[keyof Agents & string];

/** The output of an agent after it was stored as JSON. */
export type StoredOutputOf<One> = One extends
  | Agent<infer _Tools, infer Output, infer _Own, infer _Toolsets>
  | WrapperAgent<infer _Tools, infer Output, infer _Own, infer _Toolsets>
  ? StoredAs<OutputOf<Output>> & JsonValue
  : JsonValue;

/** A value after it was stored as JSON. */
export type StoredAs<Value> = unknown extends Value
  ? JsonValue
  : Value extends string | number | boolean | null | undefined
    ? Value
    : Value extends { toJSON(): infer Json }
      ? StoredAs<Json>
      : Value extends object
        ? { readonly [Key in keyof Value]: StoredAs<Value[Key]> }
        : never;

/** An agent without its types, which were checked when the desk was opened. */
export interface RegisteredAgent {
  readonly agent: {
    iter(prompt: UserPrompt | undefined, options: object): RunIterator<RunResult | ParkedResult>;
  };
  readonly deps?: ((run: RunInfo) => unknown) | undefined;
}
