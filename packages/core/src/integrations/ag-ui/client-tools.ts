import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject } from '../../internal/json.ts';
import type { JsonSchema } from '../../models/json-schema.ts';
import { type ExternalTool, ExternalToolset } from '../../toolsets/external-toolset.ts';
import { ChatProblem } from '../front-end/chat-problem.ts';

const MAX_CLIENT_TOOLS = 128;

/**
 * Returns the tools that the client executes. Their calls are external, so the client can supply their results and
 * nothing else. A run rejects a tool that has the name of another tool.
 */
export function readClientTools(tools: readonly unknown[]): ExternalToolset | undefined {
  if (tools.length === 0) return undefined;
  if (tools.length > MAX_CLIENT_TOOLS)
    throw new ChatProblem(400, `Send at most ${MAX_CLIENT_TOOLS} tools.`);
  try {
    return new ExternalToolset(tools.map(readTool), { id: 'client' });
  } catch (error) {
    // The message names only data of the client.
    if (error instanceof UserError) throw new ChatProblem(400, error.message);
    throw error;
  }
}

function readTool(tool: unknown): ExternalTool {
  const { name, description, parameters } = isPlainObject(tool) ? tool : {};
  if (typeof name !== 'string') throw new ChatProblem(400, 'A tool has no name.');
  return {
    name,
    ...(typeof description === 'string' && { description }),
    // The schema was parsed from JSON.
    parametersJsonSchema: isPlainObject(parameters)
      ? (parameters as JsonSchema)
      : { type: 'object', properties: {} },
  };
}
