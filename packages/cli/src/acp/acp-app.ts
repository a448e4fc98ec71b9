import { randomUUID } from 'node:crypto';
import {
  agent as acpAgent,
  type AgentApp,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { promptText } from './prompt-text.ts';
import { Session, type SessionDeps } from './session.ts';

/** Options of {@link createAcpApp}. */
export interface AcpAppOptions extends SessionDeps {
  /** The version of this package. */
  readonly version: string;
  /** Aborts when the editor disconnects. */
  readonly connection: AbortSignal;
}

/**
 * Creates the handlers of the protocol for one editor.
 *
 * The prompt, the choice for an approval request, the input for a question, the id of a session and the support for
 * forms are the only data of the editor that is used. MCP servers and folders are ignored, because the agent file defines the tools.
 */
export function createAcpApp(options: AcpAppOptions): AgentApp {
  const { files, loaded, log, connection } = options;
  const sessions = new Map<string, Session>();
  let hasForms = false;
  const sessionOf = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  const ignoreServers = (servers: readonly unknown[]): void => {
    if (servers.length > 0) log(`Ignored ${servers.length} MCP servers of the editor.`);
  };
  return acpAgent({ name: 'holdpoint' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      hasForms = Boolean(params.clientCapabilities?.elicitation?.form);
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: loaded.agent.name ?? 'holdpoint', version: options.version },
        agentCapabilities: { loadSession: true },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, ({ params }) => {
      ignoreServers(params.mcpServers);
      const session = new Session(randomUUID(), options);
      sessions.set(session.id, session);
      return { sessionId: session.id };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { sessionId, mcpServers } = params;
      ignoreServers(mcpServers);
      if (sessions.get(sessionId)?.isBusy) {
        throw RequestError.invalidRequest(undefined, 'the session has a prompt in progress');
      }
      const messages = await files.load(sessionId);
      if (messages === undefined) throw RequestError.sessionNotFound(sessionId);
      const session = new Session(sessionId, options, messages);
      sessions.set(sessionId, session);
      await session.replay(client);
      return {};
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.cancel();
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const session = sessionOf(params.sessionId);
      const editor = { client, hasForms, connection };
      return { stopReason: await session.prompt(promptText(params.prompt), editor) };
    });
}
