// A run streamed to a browser: text and tool activity as server-sent events, a question that the
// reader approves in the page, and a stop button that ends the run on the server. The server stores
// nothing: the page stores a parked run as a sealed token.
//
//   npx tsx --conditions=holdpoint-source examples/streaming-to-a-browser/main.ts          checks itself
//   npx tsx --conditions=holdpoint-source examples/streaming-to-a-browser/main.ts serve    for a browser
//
// HOLDPOINT_MODEL=openai:gpt-5 (and its key) uses a real model.
import { once } from 'node:events';
import type { Ending } from './chat.ts';
import { checkServer } from './check-server.ts';
import { chatServer } from './server.ts';

const endings: Ending[] = [];
await using server = chatServer((ending) => {
  endings.push(ending);
  server.emit('ending');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('The server has no port.');
const url = `http://127.0.0.1:${address.port}`;

if (process.argv.includes('serve') || process.env['HOLDPOINT_MODEL']) {
  console.log(`Open ${url} and ask: What is a hold point? Add a word. Count. (Ctrl-C ends it.)`);
  await once(process, 'SIGINT');
} else {
  await checkServer(url, { endings, nextEnding: () => once(server, 'ending') });
  console.log('Streamed to its end, approved once, stopped once.');
}
server.closeAllConnections();
