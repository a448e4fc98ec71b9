import type { AnyTools, AnyToolsets, DurabilityOptions } from '../../agent/agent-options.ts';
import type { RunStream } from '../../agent/run-stream.ts';
import { invariant } from '../../internal/invariant.ts';
import type { UserPrompt } from '../../messages/content.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import type { ChatAccess, ChatBackend } from './chat-backend.ts';
import { ChatEndpoints } from './chat-endpoints.ts';
import type { AgentChatOptions, ChatBackendOptions, ChatHandlerOptions } from './chat-options.ts';
import { sealedChats, storedChats } from './chat-storage.ts';
import { checkChatHandlerOptions } from './check-handler-options.ts';
import { RunBackend, type StartOptions } from './run-backend.ts';

/** Handles a request of a chat. */
export type ChatHandler = (request: Request) => Promise<Response>;

/**
 * Returns a handler for the requests of the AI SDK's `useChat`. It uses only the prompt, the decisions by id and the
 * results of external calls. All other data comes from the storage.
 *
 * - `POST` with the messages of `useChat`: starts or resumes a run, and streams it
 * - `GET …/{chatId}`: the messages of a chat, for `useChat({ messages })`
 * - `GET …/{chatId}/stream`: the response that is being generated, or 204
 *
 * @example
 * const handle = chatHandler({ agent, load, save, authorize })
 * app.all('/api/chat/*', (c) => handle(c.req.raw))
 */
export function chatHandler<Access extends ChatAccess>(
  options: ChatBackendOptions<Access>,
): ChatHandler;
export function chatHandler<
  Access extends ChatAccess,
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
>(options: ChatHandlerOptions<Access, Tools, Output, Own, Toolsets>): ChatHandler;
export function chatHandler<Access extends ChatAccess>(
  options: ChatBackendOptions<Access> | AgentChatOptions<Access>,
): ChatHandler {
  checkChatHandlerOptions(options);
  const backend = 'backend' in options ? options.backend : runBackend(options);
  const endpoints = new ChatEndpoints(backend, options);
  return (request) => endpoints.handle(request);
}

function runBackend<Access extends ChatAccess>(
  options: AgentChatOptions<Access>,
): ChatBackend<Access> {
  const { agent, sealed, load, save, runOptions } = options;
  const storage =
    sealed === undefined
      ? storedChats(
          invariant(load, '`load` was validated'),
          invariant(save, '`save` was validated'),
        )
      : sealedChats(sealed);
  return new RunBackend({
    storage,
    start: (access, prompt, given) => startRun(agent, prompt, given, runOptions?.(access)),
  });
}

function startRun(
  agent: AgentChatOptions<ChatAccess>['agent'],
  prompt: UserPrompt | undefined,
  given: StartOptions,
  own: { readonly durability?: DurabilityOptions | undefined } = {},
): RunStream {
  const ledger = given.durability?.ledger ?? own.durability?.ledger;
  const durability = { ...own.durability, ...(ledger && { ledger }), mayPark: true };
  const options = { ...own, ...given, durability, events: { subAgents: true } };
  // The signature of `chatHandler` compares the options with the agent.
  return agent.stream(prompt, ...([options] as never)) as RunStream;
}
