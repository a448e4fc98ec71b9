import {
  Agent,
  type JsonObject,
  type JsonValue,
  type Message,
  type Model,
  type ToolDefinition,
  UserError,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { matchesToolSelector, type ToolSelector } from 'holdpoint/tools';
import { checkOptions, isRecord, kindOf } from '../model/check-keys.ts';

/** Options of {@link approvalGateway}. */
export interface ApprovalGatewayOptions {
  /** The tools that clients may call. A toolset may be an MCP server. */
  readonly toolsets: PlainToolsets;
  /** The tools that execute without approval. By default every call requires one. */
  readonly withoutApproval?: ToolSelector | undefined;
}

/** An agent without a language model: it executes the one tool call that its prompt names. */
export type ApprovalGateway = Agent<readonly [], StringConstructor, unknown, PlainToolsets>;

/** The output of a gateway: the result of the call. */
export interface GatewayOutput {
  /** `retry` if the arguments are invalid or the tool rejected them. */
  readonly outcome: string;
  readonly content: JsonValue;
}

const gateways = new WeakSet<object>();

/**
 * Returns an agent for `openDesk` that puts approvals in front of toolsets. `mcpServer` offers each of their tools to
 * clients: a call is a run of this agent, so the desk holds it until it is approved, and it executes at most once.
 *
 * @example
 * openDesk({ store, agents: { files: { agent: approvalGateway({ toolsets: [mcpStdio({ … })] }) } } })
 */
export function approvalGateway(options: ApprovalGatewayOptions): ApprovalGateway {
  const known = { toolsets: true, withoutApproval: true } as const;
  checkOptions<ApprovalGatewayOptions>('`approvalGateway`', options, known);
  const { toolsets, withoutApproval = [] } = options;
  if (!Array.isArray(toolsets) || toolsets.length === 0) {
    throw new UserError('`approvalGateway` has no toolsets. Pass them in `toolsets`.');
  }
  checkSelector(withoutApproval);
  const gateway: ApprovalGateway = new Agent({
    model: gatewayModel,
    toolsets,
    approvalPolicy: async (ctx, definition) =>
      !(await matchesToolSelector(withoutApproval, ctx, definition)),
  });
  gateways.add(gateway);
  return gateway;
}

/** Throws for a selector that would select no tool by mistake, or all of them. */
function checkSelector(selector: unknown): void {
  const isList = Array.isArray(selector) && selector.every((name) => typeof name === 'string');
  // An object without members selects every tool.
  const isMetadata = isRecord(selector) && Object.keys(selector).length > 0;
  if (selector === 'all' || typeof selector === 'function' || isList || isMetadata) return;
  throw new UserError(
    `\`withoutApproval\` of \`approvalGateway\` is ${isRecord(selector) ? 'an object without members' : kindOf(selector)}. ` +
      "Pass a list of names, an object with metadata or a function, or 'all' if no tool needs approval.",
  );
}

/** Returns whether an agent of a desk is an approval gateway. */
export function isGateway(agent: object): agent is ApprovalGateway {
  return gateways.has(agent);
}

/** Returns the prompt for a call. */
export function gatewayPrompt(toolName: string, args: JsonObject): string {
  return `${toolName} ${JSON.stringify(args)}`;
}

/** Returns the tools that a gateway would offer to a model. */
export async function gatewayTools(gateway: ApprovalGateway): Promise<readonly ToolDefinition[]> {
  let tools: readonly ToolDefinition[] = [];
  const model: Model = {
    name: 'tool-list',
    system: 'holdpoint',
    async request({ functionTools }) {
      tools = functionTools;
      return { parts: [{ kind: 'text', content: 'Listed.' }] };
    },
  };
  await gateway.run('List the tools.', { model });
  return tools;
}

/** Reads the output of a gateway's run. Returns `undefined` for another value. */
export function readGatewayOutput(output: JsonValue | undefined): GatewayOutput | undefined {
  if (typeof output !== 'string') return undefined;
  const { outcome, content } = Object(JSON.parse(output)) as Partial<GatewayOutput>;
  return typeof outcome === 'string' && content !== undefined ? { outcome, content } : undefined;
}

/** The model of all gateways. It requests the call of the prompt, then returns its result as the output. */
const gatewayModel: Model = {
  name: 'approval-gateway',
  system: 'holdpoint',
  async request({ messages }) {
    const result = resultIn(messages);
    if (result !== undefined) {
      return { parts: [{ kind: 'text', content: JSON.stringify(result) }] };
    }
    const { toolName, args } = callIn(messages);
    return { parts: [{ kind: 'tool-call', toolName, toolCallId: 'call', args }] };
  },
};

function callIn(messages: readonly Message[]): { toolName: string; args: string } {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts) {
      if (part.kind !== 'user-prompt' || typeof part.content !== 'string') continue;
      const space = part.content.indexOf(' ');
      if (space > 0) {
        return { toolName: part.content.slice(0, space), args: part.content.slice(space + 1) };
      }
    }
  }
  throw new UserError(
    'An approval gateway executes calls of `mcpServer` only. Use another agent for prompts.',
  );
}

/** Returns the result of the call, if it is the last message. */
function resultIn(messages: readonly Message[]): GatewayOutput | undefined {
  for (const part of messages.at(-1)?.parts ?? []) {
    if (part.kind === 'tool-return') return { outcome: part.outcome, content: part.content };
    if (part.kind === 'retry-prompt') {
      const { content } = part;
      const text =
        typeof content === 'string'
          ? content
          : content.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
      return { outcome: 'retry', content: text };
    }
  }
  return undefined;
}
