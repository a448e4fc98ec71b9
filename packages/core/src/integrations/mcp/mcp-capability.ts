import { checkOptions } from '../../errors/check-options.ts';
import type { Capability } from '../../capabilities/capability.ts';
import { type McpServerTool, nativeToolKey } from '../../models/native-tool.ts';
import { changeSelected } from '../../toolsets/tool-change.ts';
import type { McpToolset } from './mcp-toolset.ts';

/** How a model whose provider talks to MCP servers itself is to reach one. */
export type NativeMcp = Omit<McpServerTool, 'kind' | 'id'>;

/**
 * A capability with the tools of an MCP server.
 *
 * With `native`, a provider that talks to MCP servers itself does so, and the tools of the toolset stand
 * in where it does not. Then its calls run at the provider: no gate of ours sees them, and nobody is
 * asked for approval.
 *
 * @example
 * new Agent({ model, capabilities: [mcp(mcpHttp({ id: 'tickets', url }))] })
 */
export function mcp<Deps = unknown>(
  toolset: McpToolset<Deps>,
  options: { readonly native?: NativeMcp | undefined } = {},
): Capability<Deps> {
  checkOptions('`mcp`', options, { native: 'object' });
  const name = `mcp ${toolset.id}`;
  const { native } = options;
  if (native === undefined) return Object.freeze({ name, toolsets: Object.freeze([toolset]) });
  const server = Object.freeze({ ...native, kind: 'mcp-server', id: toolset.id } as const);
  const unlessNative = nativeToolKey(server);
  const standIns = toolset.changed(
    changeSelected<Deps>('mcp', 'all', (definition) => ({ ...definition, unlessNative })),
  );
  // Where the provider does not have it, the toolset is there.
  const nativeTools = Object.freeze([Object.freeze({ ...server, optional: true })]);
  return Object.freeze({ name, toolsets: Object.freeze([standIns]), nativeTools });
}
