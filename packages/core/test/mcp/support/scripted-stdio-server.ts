// A program: an MCP server over stdio that follows the script in the file SCRIPT and logs the messages
// that it receives to the file LOG.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ScriptedProtocol } from './scripted-protocol.ts';

const { SCRIPT = '', LOG = '' } = process.env;

const protocol = new ScriptedProtocol(JSON.parse(readFileSync(SCRIPT, 'utf8')), {
  send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
  exit: () => process.exit(1),
});

for await (const line of createInterface({ input: process.stdin })) {
  appendFileSync(LOG, `${line}\n`);
  protocol.receive(JSON.parse(line));
}
// The server exits with its input, even if a call hangs.
appendFileSync(LOG, '{"method":"end of input"}\n');
process.exit(0);
