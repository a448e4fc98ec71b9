// A program: an MCP server over stdio with the library of both protocol eras. Its tool asks for a window before it
// deploys. ERA is `modern` for a server that rejects clients of earlier revisions, and `both` otherwise.
import { acceptedContent, inputRequired, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** Creates the server. It deploys without a question for clients of earlier revisions. */
export function releaseServer({ era }: { readonly era: 'legacy' | 'modern' }): Server {
  const server = new Server({ name: 'releases', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'deploy', description: 'Deploys.', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler('tools/call', (_request, { mcpReq }) => {
    if (era === 'legacy') return text('Deployed without a question');
    const content = acceptedContent(mcpReq.inputResponses, 'window');
    if (content !== undefined) return text(`Deployed ${String(content['window'])}`);
    const requestedSchema = {
      type: 'object' as const,
      properties: { window: { type: 'string' as const } },
      required: ['window'],
    };
    const window = inputRequired.elicit({ message: 'In which window?', requestedSchema });
    return inputRequired({ inputRequests: { window }, requestState: 'opaque' });
  });
  return server;
}

function text(content: string) {
  return { content: [{ type: 'text' as const, text: content }] };
}

if (process.argv[1] === import.meta.filename) {
  serveStdio(releaseServer, { legacy: process.env['ERA'] === 'modern' ? 'reject' : 'serve' });
}
