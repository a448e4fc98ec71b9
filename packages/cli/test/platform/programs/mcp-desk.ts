// The desk of the tests of `holdpoint mcp`. Executed calls are lines of a file, because processes are killed.
import { appendFileSync } from 'node:fs';
import { sqliteStore } from '@holdpoint/desk';
import { approvalGateway } from '@holdpoint/desk/mcp';
import { FunctionToolset, tool } from 'holdpoint';
import { z } from 'zod';

const log = process.env['MCP_LOG_FILE'] ?? '';

const pay = tool({
  name: 'pay',
  description: 'Pays an amount.',
  inputSchema: z.object({ euros: z.number() }),
  preview: ({ euros }) => `Pays ${euros} euros.`,
  execute({ euros }) {
    appendFileSync(log, `${euros}\n`);
    console.log('A tool may print.');
    return `${euros} euros paid`;
  },
});

export default {
  store: await sqliteStore({ path: process.env['MCP_DESK_FILE'] }),
  url: 'https://desk.test',
  lease: 1_000,
  agents: { cashier: { agent: approvalGateway({ toolsets: [new FunctionToolset([pay])] }) } },
};

export const mcp = { forms: process.env['MCP_FORMS'] === 'yes', person: { id: 'ada' } };
