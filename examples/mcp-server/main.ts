// An MCP server over HTTP in front of a desk, and a client that cannot ask its user.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openDesk } from '@holdpoint/desk';
import { mcpServer } from '@holdpoint/desk/mcp';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-mcp-'));
process.env['DESK_FILE'] = join(folder, 'desk.db');
const { default: options } = await import('./desk.ts');
const users = new Map([['Bearer secret', { id: 'ada' }]]);
const stateKey = randomBytes(32);

// #region server
const desk = openDesk(options);
void desk.startWorker();
const server = mcpServer(desk, { stateKey });
const handler = server.http({
  authorize(request) {
    const person = users.get(request.headers.get('authorization') ?? '');
    return person && { person };
  },
});
// #endregion

const client = new Client(
  { name: 'example', version: '1' },
  { versionNegotiation: { mode: 'auto' } },
);
await client.connect(
  new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    requestInit: { headers: { authorization: 'Bearer secret' } },
    fetch: (url, init) => handler(new Request(url, init)),
  }),
);
const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
};

assert.equal(await call('service_status', { service: 'shop' }), 'shop is running');
const pending = await call('restart_service', { service: 'shop' });
assert.match(pending, /http:\/\/127.0.0.1:4680\/inbox\/holds\//);
const handle = /handle "(.+?)"/.exec(pending)?.[1] ?? '';

// Grace approves the call in the inbox.
const { items } = await desk.holds();
for (const { id, digest } of items) {
  await desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
}

assert.equal(await call('get_result', { handle }), 'shop restarted');
await client.close();
await desk.close();
rmSync(folder, { recursive: true });
console.log('The call executed after its approval.');
