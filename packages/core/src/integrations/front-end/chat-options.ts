import type { Agent } from '../../agent/agent.ts';
import type { AnyTools, AnyToolsets, DepsOfAgent, RunOptions } from '../../agent/agent-options.ts';
import type { WrapperAgent } from '../../agent/wrapper-agent.ts';
import type { UserPrompt } from '../../messages/content.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import type { SealedRuns } from '../sealed/sealed-runs.ts';
import type { ChatAccess, ChatBackend } from './chat-backend.ts';
import type { LoadChat, SaveChat } from './chat-storage.ts';

/** Options of a handler that do not depend on the storage. */
export interface ChatOptions<Access extends ChatAccess> {
  /**
   * Returns the access of the caller to a chat; `undefined` rejects the request with 403, and a `Response` is sent as it
   * is. `chatId` comes from the client. The body of the request is not readable.
   */
  readonly authorize: (
    request: Request,
    chatId: string,
  ) => Promise<Access | Response | undefined> | Access | Response | undefined;
  /** A prompt while calls are pending: `error` (the default) rejects it with 409, `cancel` cancels the calls. */
  readonly onPendingCalls?: 'error' | 'cancel' | undefined;
  /** A client that disconnects: the run continues (`continue`, the default) or stops (`stop`). */
  readonly onDisconnect?: 'continue' | 'stop' | undefined;
  /** The maximum size of a request in bytes. Defaults to 4,000,000. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Returns true if a file of a prompt may have this `https:` address. Without it, only `data:` addresses are allowed,
   * because the provider or this server loads the address.
   */
  readonly allowFileUrl?: ((url: URL) => boolean) | undefined;
  /** Receives errors of runs and of the functions above. The client receives only a general text. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** An agent whose runs a chat shows. */
export type ChatAgent<
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
> = Agent<Tools, Output, Own, Toolsets> | WrapperAgent<Tools, Output, Own, Toolsets>;

/** Options of the runs that a chat starts. The handler sets the history, the decisions and the id of a run. */
export type ChatRunOptions<Deps> = Omit<
  RunOptions<Deps, OutputSpec>,
  | 'messageHistory'
  | 'deferredToolResults'
  | 'onPendingCalls'
  | 'runId'
  | 'output'
  | 'signal'
  | 'parent'
  | 'events'
> &
  (unknown extends Deps ? { readonly deps?: Deps | undefined } : { readonly deps: Deps });

/** The storage of conversations: functions of the application, or encrypted tokens that the client stores. */
export type ChatStorageOptions<Access extends ChatAccess> =
  | {
      readonly load: LoadChat<Access>;
      readonly save: SaveChat<Access>;
      readonly sealed?: undefined;
    }
  | {
      /** Returns the sealed runs for the caller. Bind their `audience` to the user, so that no other user can open them. */
      readonly sealed: (access: Access) => SealedRuns;
      readonly load?: undefined;
      readonly save?: undefined;
    };

/** Options of a handler with an agent of this process. */
export type ChatHandlerOptions<
  Access extends ChatAccess,
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
> = ChatOptions<Access> &
  ChatStorageOptions<Access> & {
    readonly agent: ChatAgent<Tools, Output, Own, Toolsets>;
  } & RunOptionsFunction<Access, DepsOfAgent<Tools, Output, Own, Toolsets>>;

/** The function with the options of a run. It is required exactly when the agent has deps. */
export type RunOptionsFunction<Access, Deps> = unknown extends Deps
  ? { readonly runOptions?: ((access: Access) => ChatRunOptions<Deps>) | undefined }
  : { readonly runOptions: (access: Access) => ChatRunOptions<Deps> };

/** Options of a handler with another backend, such as a desk. */
export type ChatBackendOptions<Access extends ChatAccess> = ChatOptions<Access> & {
  readonly backend: ChatBackend<Access>;
};

/** The options with an agent, without the types of the agent. */
export interface AgentChatOptions<Access extends ChatAccess> extends ChatOptions<Access> {
  readonly agent: { stream(prompt?: UserPrompt, ...options: never): unknown };
  readonly load?: LoadChat<Access> | undefined;
  readonly save?: SaveChat<Access> | undefined;
  readonly sealed?: ((access: Access) => SealedRuns) | undefined;
  readonly runOptions?: ((access: Access) => object) | undefined;
}
