import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The ways in which a client can ask its user. */
export interface ClientSupport {
  readonly forms: boolean;
  /** The client can send its user to a page. */
  readonly links: boolean;
  /** The maximum number of times that the client sends a call again. */
  readonly maxRounds: number;
}

const NONE: ClientSupport = { forms: false, links: false, maxRounds: 0 };

/** Clients of the SDK stop after ten rounds. */
const MAX_ROUNDS = 8;

/** Returns the support that the client of a request has declared. */
export function supportOf(
  { era, requestInfo }: McpRequestContext,
  server: Server,
  ctx: ServerContext,
): ClientSupport {
  if (era === 'modern') {
    const declared: unknown = Reflect.get(ctx.mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY);
    return supportIn(declared, MAX_ROUNDS);
  }
  // A request of 2025 over HTTP has no connection on which the server could ask.
  if (requestInfo !== undefined) return NONE;
  // The client of 2025 has sent one request, and stops waiting for its response after about a minute.
  return supportIn(server.getClientCapabilities(), 1);
}

function supportIn(declared: unknown, maxRounds: number): ClientSupport {
  // The SDK validated the capabilities.
  const { elicitation } = Object(declared) as ClientCapabilities;
  if (typeof elicitation !== 'object' || elicitation === null) return NONE;
  const links = elicitation.url !== undefined;
  // An empty capability means forms.
  return { forms: elicitation.form !== undefined || !links, links, maxRounds };
}
