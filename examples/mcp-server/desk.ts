// A desk for MCP clients such as Claude Code and Cursor: each tool call waits for an approver.
//
//   holdpoint mcp examples/mcp-server/desk.ts     started by the client
//   holdpoint desk examples/mcp-server/desk.ts    serves the inbox
import { join } from 'node:path';
import { tmpdir } from 'node:os';
// #region gateway
import { sqliteStore } from '@holdpoint/desk';
import { approvalGateway } from '@holdpoint/desk/mcp';
import { FunctionToolset, tool } from 'holdpoint';
import { z } from 'zod';

const restart = tool({
  name: 'restart_service',
  description: 'Restarts a service.',
  inputSchema: z.object({ service: z.string() }),
  preview: ({ service }) => `Restarts ${service}, which interrupts its users.`,
  execute: ({ service }) => `${service} restarted`,
});
const status = tool({
  name: 'service_status',
  description: 'Returns the status of a service.',
  inputSchema: z.object({ service: z.string() }),
  readOnly: true,
  execute: ({ service }) => `${service} is running`,
});
const operations = approvalGateway({
  toolsets: [new FunctionToolset([restart, status])], // or an MCP server: mcpStdio({ … })
  withoutApproval: ['service_status'],
});

export default {
  store: await sqliteStore({ path: process.env['DESK_FILE'] ?? join(tmpdir(), 'operations.db') }),
  url: 'http://127.0.0.1:4680',
  agents: { operations: { agent: operations } },
};
// #endregion

// #region options
export const mcp = { forms: true, person: { id: 'ada', name: 'Ada' }, roles: ['operations'] };
// #endregion
