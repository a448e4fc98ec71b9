import {
  agent as acpAgent,
  type AgentApp,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { AcpSession, SessionSource } from './acp-session.ts';
import { promptText } from './prompt-text.ts';

/** Options of {@link createAcpApp}. */
export interface AcpAppOptions {
  readonly source: SessionSource;
  /** Writes a line to the log. */
  readonly log: (line: string) => void;
  /** The version of this package. */
  readonly version: string;
  /** Aborts when the editor disconnects. */
  readonly connection: AbortSignal;
}

/**
 * Creates the handlers of the protocol for one editor.
 *
 * They use only these data of the editor: prompts, choices for approval requests, inputs for
 * questions, session ids, and the support for forms. They ignore MCP servers and folders, because
 * the agent file defines the tools.
 */
export function createAcpApp(options: AcpAppOptions): AgentApp {
  const { source, log, connection } = options;
  const sessions = new Map<string, AcpSession>();
  let hasForms = false;
  const sessionOf = (id: string): AcpSession => {
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
        agentInfo: { name: source.name, version: options.version },
        agentCapabilities: { loadSession: true },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, ({ params }) => {
      ignoreServers(params.mcpServers);
      const session = source.create();
      sessions.set(session.id, session);
      return { sessionId: session.id };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { sessionId, mcpServers } = params;
      ignoreServers(mcpServers);
      if (sessions.get(sessionId)?.isBusy) {
        throw RequestError.invalidRequest(undefined, 'the session has a prompt in progress');
      }
      const session = await source.load(sessionId);
      if (session === undefined) throw RequestError.sessionNotFound(sessionId);
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
