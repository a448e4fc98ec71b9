import { Agent, type RunContext, type ToolDefinition } from 'holdpoint';
import { mcpHttp, type McpToolset } from 'holdpoint/mcp';
import { scriptedModel } from 'holdpoint/testing';
import { expectTypeOf } from 'vitest';

interface User {
  readonly isAdmin: boolean;
}

const model = scriptedModel();
const server = { id: 'remote', url: 'https://example.com/mcp' };

// A server needs no deps…
expectTypeOf(mcpHttp(server)).toEqualTypeOf<McpToolset>();
await new Agent({ model, toolsets: [mcpHttp(server)] }).run('Go.');

// …unless its `requiresApproval` function does.
const guarded = mcpHttp({
  ...server,
  withoutApproval: (ctx: RunContext<User>, definition: ToolDefinition) =>
    ctx.deps.isAdmin && definition.name !== 'remove',
});
const agent = new Agent({ model, toolsets: [guarded] });
await agent.run('Go.', { deps: { isAdmin: true } });
// @ts-expect-error: the function reads the user.
await agent.run('Go.');
