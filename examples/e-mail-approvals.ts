// Approvals by e-mail: when a call waits, those who may approve get a mail with a link. Their mail scanner opens
// it, which changes nothing; they press a button, and the call runs.
//
// It sends through a mail server on this machine and ends. A real deployment sets `url` to where people reach
// the desk (https), `SMTP_URL` to its mail server, and takes `people` from its directory, with the ids that
// people have when they sign in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import { memoryStore, openDesk, type OutboxRow, visible } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';

/** The mails that have arrived at the mail server. */
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
// It listens at a port.
const { port: mailPort } = mailServer.server.address() as AddressInfo;

const paid: string[] = [];
const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  requiresApproval: true,
  preview: ({ to, euros }) => `${euros} euros go to ${to}.`,
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

// The address has to be known before the desk is opened, and the port before the address.
let respond: (request: Request) => Response | Promise<Response> = () =>
  new Response(null, { status: 503 });
const server = serve({ fetch: (request) => respond(request), hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
// It listens at a port.
const { port } = server.address() as AddressInfo;

// #region e-mail
const people = [{ id: 'grace', name: 'Grace', mail: 'grace@example.com', roles: ['treasurer'] }];
const transport = createTransport(process.env['SMTP_URL'] ?? `smtp://127.0.0.1:${mailPort}`);

async function sendMails({ kind, id: eventId, data }: OutboxRow): Promise<void> {
  if (kind !== 'hold-opened') return;
  const { hold } = await desk.hold(String(data['holdId']));
  for (const { mail, roles, ...person } of people) {
    const link = await desk.answerLink(hold.id, {
      for: person,
      roles,
      expiresAfter: 24 * 60 * 60_000,
    });
    await transport.sendMail({
      from: 'desk@example.com',
      to: mail,
      // The same whenever the same event is told again, so that mail servers can drop it.
      messageId: `<${eventId}.${person.id}@desk.example.com>`,
      subject: `May ${visible(hold.toolName)} run?`,
      text: [`Agent ${hold.agent} wants to run ${visible(hold.toolName)}.`, '', link.url].join(
        '\n',
      ),
    });
  }
}

const desk = openDesk({
  store: memoryStore(),
  agents: { clerk: { agent } },
  url: `http://127.0.0.1:${port}`,
  notify: sendMails,
});
// #endregion

// #region serve-links
respond = desk.fetch;
// #endregion

const runId = await desk.start('clerk', 'Pay the invoice of Acme.', { requester: { id: 'ada' } });
await desk.workOff();

assert.equal(arrived.length, 1);
const [mail = ''] = arrived;
assert.match(mail, /To: grace@example.com/);
assert.doesNotMatch(mail, /Acme/, 'a mail lies around: what the call is about is on the page');
// Long lines are folded on the way.
const [link = ''] = /http:\S+\/links\/[\w-]{43}/.exec(mail.replaceAll('=\r\n', '')) ?? [];

// A scanner opens every link.
for (const method of ['HEAD', 'GET', 'GET']) {
  assert.equal((await fetch(link, { method })).status, 200);
}
assert.equal((await desk.run(runId)).state, 'parked');

// A person looks, and presses the button.
const page = await (await fetch(link)).text();
assert.match(page, /40 euros go to Acme\./);
const press = () =>
  fetch(link, { method: 'POST', body: new URLSearchParams({ answer: 'approve' }) });
assert.equal((await press()).status, 200);
assert.equal((await press()).status, 410, 'a link answers once');

await desk.workOff();
assert.deepEqual(paid, ['40 to Acme']);
const answered = (await desk.audit(runId)).find(({ kind }) => kind === 'hold-answered');
assert.deepEqual(answered?.by, { id: 'grace', name: 'Grace' });

transport.close();
server.close();
mailServer.close();
console.log('The mail was scanned, somebody pressed a button, and the money went out once.');
