import type { Tool } from '@modelcontextprotocol/server';
import { UserError } from 'holdpoint';
import { contextOf } from '../desk/desk-reader.ts';
import type { Desk } from '../desk/desk.ts';
import { gatewayTools, isGateway } from './approval-gateway.ts';
import { RESULT_TOOL } from './call-result.ts';
import type { McpSettings } from './mcp-options.ts';

/** A tool that clients see. */
export interface ServedTool {
  readonly definition: Tool;
  /** The agent of the runs of its calls. */
  readonly agent: string;
  /** True if the agent is an approval gateway, and the tool is one of its tools. */
  readonly isGateway: boolean;
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const RESULT_DEFINITION: Tool = {
  name: RESULT_TOOL,
  description: 'Returns the outcome of an earlier call that was pending. Waits for it for a while.',
  inputSchema: {
    type: 'object',
    properties: { handle: { type: 'string', description: 'The handle of the pending call.' } },
    required: ['handle'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** The tools of a server by name, and their definitions with the one for handles. */
export interface ServedTools {
  readonly byName: ReadonlyMap<string, ServedTool>;
  readonly definitions: readonly Tool[];
}

/** Lists the tools of the served agents: one for each agent, and those of approval gateways. */
export async function servedTools(desk: Desk, settings: McpSettings): Promise<ServedTools> {
  const byName = new Map<string, ServedTool>();
  const { agents } = contextOf(desk);
  for (const agent of settings.agents) {
    const registered = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    if (registered === undefined) throw new UserError(`The desk has no agent \`${agent}\`.`);
    const tools = isGateway(registered.agent)
      ? (await gatewayTools(registered.agent)).map(gatewayTool(agent))
      : [agentTool(agent, settings)];
    for (const tool of tools) addTool(byName, tool);
  }
  const definitions = [...byName.values()].map(({ definition }) => definition);
  return { byName, definitions: [...definitions, RESULT_DEFINITION] };
}

function addTool(byName: Map<string, ServedTool>, tool: ServedTool): void {
  const { name } = tool.definition;
  if (!TOOL_NAME.test(name)) {
    throw new UserError(
      `MCP clients reject the tool name \`${name}\`. Use 1 to 128 letters, digits, \`_\`, \`-\` and \`.\`.`,
    );
  }
  if (name === RESULT_TOOL || byName.has(name)) {
    throw new UserError(
      `More than one tool of the MCP server has the name \`${name}\`. Rename the agent, or use \`prefixed\` on a toolset.`,
    );
  }
  byName.set(name, tool);
}

function agentTool(agent: string, { descriptions }: McpSettings): ServedTool {
  const own = Object.hasOwn(descriptions, agent) ? descriptions[agent] : undefined;
  const description =
    own ?? `Sends a prompt to the agent \`${agent}\`. Its tool calls may need approval.`;
  return {
    agent,
    isGateway: false,
    definition: {
      name: agent,
      description,
      inputSchema: {
        type: 'object',
        properties: { prompt: { type: 'string', description: 'The task for the agent.' } },
        required: ['prompt'],
        additionalProperties: false,
      },
    },
  };
}

function gatewayTool(agent: string) {
  return ({ name, description, parametersJsonSchema }: Definition): ServedTool => ({
    agent,
    isGateway: true,
    definition: {
      name,
      ...(description !== undefined && { description }),
      // The schema of a tool describes an object.
      inputSchema: { ...parametersJsonSchema, type: 'object' },
    },
  });
}

type Definition = Awaited<ReturnType<typeof gatewayTools>>[number];
