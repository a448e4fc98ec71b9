// Approvals by e-mail: approvers of a pending call receive a mail with a link. A mail scanner that opens the link
// changes nothing. The approver presses a button on the page, and the call executes.
//
// The program uses a mail server on this machine. A real deployment sets `url` to the address that people use
// (https), `SMTP_URL` to its mail server, and takes `people` from its directory, with the ids with which people
// sign in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import { type DeskEvent, openDesk, sqliteStore, visible } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';

/** The mails that the mail server received. */
const arrived: string[] = [];
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  async onData(stream, _session, callback) {
    arrived.push(await text(stream));
    callback();
  },
});
mailServer.listen(0, '127.0.0.1');
await once(mailServer.server, 'listening');
// A listening TCP server has an address with a port.
const { port: mailPort } = mailServer.server.address() as AddressInfo;

const paid: string[] = [];
const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  requiresApproval: true,
  preview: ({ to, euros }) => `Pay €${euros} to ${to}`,
  execute({ to, euros }) {
    paid.push(`${euros} to ${to}`);
    return 'paid';
  },
});
const agent = new Agent({
  model: functionModel(({ messages }) =>
    messages.length === 1 ? calls('pay', { to: 'Acme', euros: 40 }) : says('Done.'),
  ),
  tools: [pay],
  output: [String, DeferredToolRequests],
});

// The desk needs its address, which contains the port.
let respond: (request: Request) => Response | Promise<Response> = () =>
  new Response(null, { status: 503 });
const server = serve({ fetch: (request) => respond(request), hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
// A listening TCP server has an address with a port.
const { port } = server.address() as AddressInfo;

// #region e-mail
const people = [{ id: 'grace', name: 'Grace', mail: 'grace@example.com', roles: ['treasurer'] }];
const transport = createTransport(process.env['SMTP_URL'] ?? `smtp://127.0.0.1:${mailPort}`);

async function sendMails(event: DeskEvent): Promise<void> {
  if (event.kind !== 'hold-opened') return;
  const hold = await desk.hold(event.holdId);
  for (const { mail, roles, ...person } of people) {
    const link = await desk.decisionLink(hold.id, {
      for: person,
      roles,
      expiresAfter: 24 * 60 * 60_000,
    });
    await transport.sendMail({
      from: 'desk@example.com',
      to: mail,
      // A repeated event has the same id, so that mail servers can ignore it.
      messageId: `<${event.id}.${person.id}@desk.example.com>`,
      subject: `Approval needed: ${visible(hold.toolName)}`,
      text: `Agent ${hold.agent} requests approval of ${visible(hold.toolName)}.\n\n${link.url}`,
    });
  }
}

const desk = openDesk({
  store: await sqliteStore(),
  agents: { clerk: { agent } },
  url: `http://127.0.0.1:${port}`,
  notify: sendMails,
});
// #endregion

// #region serve-links
respond = desk.fetch;
// #endregion

const runId = await desk.start('clerk', 'Pay the invoice of Acme.', { requester: { id: 'ada' } });
await desk.drain();

assert.equal(arrived.length, 1);
const [mail = ''] = arrived;
assert.match(mail, /To: grace@example.com/);
assert.doesNotMatch(mail, /Acme/, 'the call is shown on the page only');
// The mail library folds long lines.
const [link = ''] = /http:\S+\/links\/[\w-]{43}/.exec(mail.replaceAll('=\r\n', '')) ?? [];

// A scanner opens every link.
for (const method of ['HEAD', 'GET', 'GET']) {
  assert.equal((await fetch(link, { method })).status, 200);
}
assert.equal((await desk.run(runId)).state, 'parked');

// The approver opens the page and presses the button.
const page = await (await fetch(link)).text();
assert.match(page, /Pay €40 to Acme/);
const press = () =>
  fetch(link, { method: 'POST', body: new URLSearchParams({ decision: 'approve' }) });
assert.equal((await press()).status, 200);
assert.equal((await press()).status, 410, 'a link decides once');

await desk.drain();
assert.deepEqual(paid, ['40 to Acme']);
const decided = (await desk.audit(runId)).find(({ kind }) => kind === 'hold-decided');
assert.deepEqual(decided?.by, { id: 'grace', name: 'Grace' });

transport.close();
server.close();
mailServer.close();
console.log(
  'A scanner opened the link, the approver pressed the button, and the invoice was paid once.',
);
