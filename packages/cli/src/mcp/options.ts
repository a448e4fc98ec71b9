import { adviceFor, type HoldRow, type Person } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import type { Exports } from '../modules/load-module.ts';

/** The export `mcp` of a desk file. */
export interface McpOptions {
  /** The names of the agents to offer; all agents of the desk by default. */
  readonly agents?: readonly string[] | undefined;
  /** The descriptions of agents for clients, by name. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined;
  /** Lets the user of the client decide in forms of the client, within the policy of the desk. */
  readonly forms?: boolean | ((hold: HoldRow) => boolean) | undefined;
  /** Records the decline of a form as the denial of the user. */
  readonly trustDeclines?: boolean | undefined;
  /** The user of the client; the user of the operating system by default. */
  readonly person?: Person | undefined;
  /** The roles of the user of the client, for the policy of the desk. */
  readonly roles?: readonly string[] | undefined;
}

const KNOWN: Readonly<Record<keyof McpOptions, true>> = {
  agents: true,
  descriptions: true,
  forms: true,
  trustDeclines: true,
  person: true,
  roles: true,
};

/** Reads the export `mcp` of a file. `mcpServer` validates its members. */
export function readMcpOptions(exported: Exports): McpOptions {
  const value = exported.find(([name]) => name === 'mcp')?.[1];
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UserError('The export `mcp` must be an object. Pass `{ forms: true }`.');
  }
  const known = Object.keys(KNOWN);
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const advice = adviceFor(name, known);
    throw new UserError(`The export \`mcp\` has the unknown option \`${name}\`. ${advice}`);
  }
  return value;
}
