/**
 * A TCP proxy on loopback that holds back everything the server sends for some milliseconds, so that each
 * round trip takes longer by that much. It prints the port that it listens on.
 *
 *   node delay-proxy.mjs <port of the server> <milliseconds>
 */
import { connect, createServer } from 'node:net';

const [port, delayMs] = process.argv.slice(2).map(Number);

const proxy = createServer((client) => {
  const server = connect({ port, host: '127.0.0.1', noDelay: true });
  client.setNoDelay(true);
  const end = () => {
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) socket.on('error', end).on('close', end);
  client.on('data', (data) => server.write(data));
  // Timers of the same length fire in the order in which they were set.
  server.on('data', (data) => setTimeout(() => client.write(data), delayMs));
});

proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port));
process.once('disconnect', () => process.exit(0));
