import type { AnyTools, AnyToolsets } from '../../agent/agent-options.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import { agentBackend } from '../front-end/agent-backend.ts';
import type { ChatAccess } from '../front-end/chat-backend.ts';
import type { AgentChatOptions } from '../front-end/chat-options.ts';
import { checkHandlerOptions } from '../front-end/check-handler-options.ts';
import type { AgUiBackendOptions, AgUiHandlerOptions } from './ag-ui-options.ts';
import { AgUiEndpoints } from './endpoints.ts';

/** Handles a request of an AG-UI client. */
export type AgUiHandler = (request: Request) => Promise<Response>;

/**
 * Returns a handler for the requests of AG-UI clients, such as `HttpAgent`. It uses only the prompt, the decisions by
 * id, the results of external calls and the definitions of the client's tools. All other data comes from the storage.
 *
 * - `POST` with a `RunAgentInput`: starts or resumes a run, and streams it
 * - `GET …/{threadId}`: the messages, interrupts and pending tool calls of a thread
 *
 * @example
 * const handle = agUiHandler({ agent, load, save, authorize })
 * app.all('/agent/*', (c) => handle(c.req.raw))
 */
export function agUiHandler<Access extends ChatAccess>(
  options: AgUiBackendOptions<Access>,
): AgUiHandler;
export function agUiHandler<
  Access extends ChatAccess,
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
>(options: AgUiHandlerOptions<Access, Tools, Output, Own, Toolsets>): AgUiHandler;
export function agUiHandler<Access extends ChatAccess>(
  options: AgUiBackendOptions<Access> | AgentChatOptions<Access>,
): AgUiHandler {
  checkHandlerOptions('agUiHandler', options, { clientTools: 'boolean' });
  const backend = 'backend' in options ? options.backend : agentBackend(options);
  const endpoints = new AgUiEndpoints(backend, options);
  return (request) => endpoints.handle(request);
}
