import type { AnyTools, AnyToolsets } from '../../agent/agent-options.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import { agentBackend } from '../front-end/agent-backend.ts';
import type { ChatAccess } from '../front-end/chat-backend.ts';
import type {
  AgentChatOptions,
  ChatBackendOptions,
  ChatHandlerOptions,
} from '../front-end/chat-options.ts';
import { checkHandlerOptions } from '../front-end/check-handler-options.ts';
import { ChatEndpoints } from './chat-endpoints.ts';

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
  checkHandlerOptions('chatHandler', options);
  const backend = 'backend' in options ? options.backend : agentBackend(options);
  const endpoints = new ChatEndpoints(backend, options);
  return (request) => endpoints.handle(request);
}
