import type { AnyTools, AnyToolsets, DepsOfAgent, RunOptions } from '../../agent/agent-options.ts';
import type { Agent } from '../../agent/agent.ts';
import type { WrapperAgent } from '../../agent/wrapper-agent.ts';
import {
  checkRequiredOptions,
  invalidOption,
  type OptionKind,
  type OptionTable,
} from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { UserPrompt } from '../../messages/content.ts';
import type { Message } from '../../messages/message.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import type { SealedRuns } from '../sealed/sealed-runs.ts';
import type { ChatAccess, ChatBackend } from './chat-backend.ts';
import { ChatProblem } from './read-request.ts';

/** A function that returns the stored messages of a conversation, or `undefined` if it is new. */
export type LoadChat<Access> = (
  access: Access,
) => Promise<readonly Message[] | undefined> | readonly Message[] | undefined;

/** Stores the messages of a conversation in place of the earlier ones. */
export type SaveChat<Access> = (
  access: Access,
  messages: readonly Message[],
) => Promise<void> | void;

/** Options of a handler that do not depend on the storage. */
export interface ChatOptions<Access extends ChatAccess> {
  /**
   * Returns the access of the caller to a chat; `undefined` rejects the request with 403, and a
   * `Response` is sent unchanged. `chatId` comes from the client. The body of the request is not
   * readable.
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

type AnyOptions = AgentChatOptions<ChatAccess> &
  Partial<Pick<ChatBackendOptions<ChatAccess>, 'backend'>>;

const HANDLER_OPTIONS: OptionTable<AnyOptions> = {
  agent: 'value',
  backend: 'object',
  authorize: 'function',
  load: 'function',
  save: 'function',
  sealed: 'function',
  runOptions: 'function',
  onPendingCalls: ['error', 'cancel'],
  onDisconnect: ['continue', 'stop'],
  maxBodyBytes: 'number',
  allowFileUrl: 'function',
  onError: 'function',
};

/** Validates the options of a handler, so that a mistake fails when the server starts. */
export function checkHandlerOptions(
  handler: string,
  options: object,
  further: Readonly<Record<string, OptionKind>> = {},
): void {
  const owner = `\`${handler}\``;
  checkRequiredOptions(owner, options, { ...HANDLER_OPTIONS, ...further });
  // The names and kinds of the options were validated.
  const given = options as Partial<AnyOptions>;
  if (given.authorize === undefined) {
    throw new UserError(
      'Without `authorize`, every caller could read and continue every conversation. ' +
        `Pass \`authorize\` to ${owner}.`,
    );
  }
  const { maxBodyBytes } = given;
  if (maxBodyBytes !== undefined && !(maxBodyBytes > 0)) {
    throw invalidOption(owner, 'maxBodyBytes', maxBodyBytes, 'a number of bytes above 0');
  }
  checkStorage(owner, given);
}

function checkStorage(owner: string, options: Partial<AnyOptions>): void {
  const { agent, backend, load, save, sealed, runOptions } = options;
  const own = [agent, load, save, sealed, runOptions].some((option) => option !== undefined);
  if (backend !== undefined) {
    if (!own) return;
    throw new UserError(
      'A `backend` executes the runs itself. Pass either `backend`, or `agent` and its storage.',
    );
  }
  if (typeof agent?.stream !== 'function') {
    throw new UserError(
      `${owner} has no agent whose runs it could show. Pass \`agent\` or \`backend\`.`,
    );
  }
  const isStored = load !== undefined && save !== undefined;
  const isMixed = sealed !== undefined && (load !== undefined || save !== undefined);
  if ((isStored || sealed !== undefined) && !isMixed) return;
  throw new UserError(
    `The conversations of ${owner} need one storage. Pass \`load\` and \`save\`, or \`sealed\`.`,
  );
}

/** Returns the access of the caller to a chat, or the response of the application. */
export async function authorizeChat<Access extends ChatAccess>(
  { authorize }: Pick<ChatOptions<Access>, 'authorize'>,
  request: Request,
  chatId: string,
): Promise<Access | Response> {
  const access = await authorize(request, chatId);
  if (access === undefined) throw new ChatProblem(403, 'You have no access to this conversation.');
  if (access instanceof Response) return access;
  if (typeof access.conversationId === 'string' && access.conversationId !== '') return access;
  throw new UserError(
    '`authorize` returned no `conversationId`, so the conversation is unknown. Return `{ conversationId }` or `undefined`.',
  );
}
