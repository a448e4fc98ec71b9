import type {
  Agent,
  ParkedResult,
  RunIterator,
  RunResult,
  UserPrompt,
  WrapperAgent,
} from 'holdpoint';
import type { DepsOfAgent } from 'holdpoint/agents';
import type { MayDefer } from 'holdpoint/output';
import type { Person } from '../model/person.ts';

/** What is known about a run when its deps are made. */
export interface RunInfo {
  readonly tenant: string;
  readonly runId: string;
  readonly conversationId: string;
  /** The name of its agent at the desk. */
  readonly agent: string;
  /** Who has asked for it. */
  readonly requester: Person | undefined;
}

/** Something that runs step by step, as agents do. */
export interface AnyDeskAgent {
  readonly iter: (...args: never) => RunIterator;
}

/** What an agent needs of the application. */
export type DepsOf<One> =
  One extends Agent<infer Tools, infer Output, infer Own, infer Toolsets>
    ? DepsOfAgent<Tools, Output, Own, Toolsets>
    : One extends WrapperAgent<infer Tools, infer Output, infer Own, infer Toolsets>
      ? DepsOfAgent<Tools, Output, Own, Toolsets>
      : unknown;

/** An agent of the desk, and how its deps are made: anew in whichever process goes on with a run. */
export type DeskAgent<One> = { readonly agent: One } & DeskAgentDeps<One> & DeskAgentOutput<One>;

export type DeskAgentDeps<One> =
  unknown extends DepsOf<One>
    ? { readonly deps?: ((run: RunInfo) => unknown) | undefined }
    : { readonly deps: (run: RunInfo) => DepsOf<One> | Promise<DepsOf<One>> };

/** Every agent of the desk must be able to park: a call in doubt has to wait for somebody, too. */
export type DeskAgentOutput<One> =
  One extends Agent<infer _Tools, infer Output, infer _Own, infer _Toolsets>
    ? MayDefer<Output> extends true
      ? unknown
      : { readonly agent: 'Add DeferredToolRequests to the outputs of the agent.' }
    : unknown;

/** An agent as the inside sees it: the types were checked where the desk was opened. */
export interface InsideAgent {
  readonly agent: {
    iter(prompt: UserPrompt | undefined, options: object): RunIterator<RunResult | ParkedResult>;
  };
  readonly deps?: ((run: RunInfo) => unknown) | undefined;
}
