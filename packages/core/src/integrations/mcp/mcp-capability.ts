import { checkOptions } from '../../errors/check-options.ts';
import type { Capability } from '../../capabilities/capability.ts';
import { type McpServerTool, nativeToolKey } from '../../models/native-tool.ts';
import { changeSelected } from '../../toolsets/tool-change.ts';
import type { McpToolset } from './mcp-toolset.ts';

/** The server's address for a provider that connects to MCP servers itself. */
export type NativeMcp = Omit<McpServerTool, 'kind' | 'id'>;

/**
 * Creates a capability with the tools of an MCP server.
 *
 * With `native`, a provider that can connect to MCP servers does so, and other models use the toolset. The
 * provider then executes the calls: they do not pass through the gate, and no approver is involved.
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
  const fallback = toolset.changed(
    changeSelected<Deps>('mcp', 'all', (definition) => ({ ...definition, unlessNative })),
  );
  // Optional, because the toolset is the fallback.
  const nativeTools = Object.freeze([Object.freeze({ ...server, optional: true })]);
  return Object.freeze({ name, toolsets: Object.freeze([fallback]), nativeTools });
}
