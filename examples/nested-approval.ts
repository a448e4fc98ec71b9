// Sub-agents on three levels. Their pending calls form one list with the path of each call. The run is stored as
// JSON, and each sub-agent resumes in place.
//
//   npx tsx --conditions=holdpoint-source examples/nested-approval.ts
import assert from 'node:assert/strict';
import {
  Agent,
  AlreadyResumedError,
  DeferredToolRequests,
  MemoryLedger,
  messageCodec,
  requestsFromMessages,
  tool,
  ToolDenied,
} from 'holdpoint';
import { calls, functionModel, type ResponseDraft, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

const live = process.env['HOLDPOINT_MODEL'];
const done: string[] = [];

const deploy = tool({
  name: 'deploy',
  inputSchema: z.object({ service: z.string(), version: z.string() }),
  requiresApproval: true,
  preview: ({ service, version }) => `${service} goes to ${version} for all customers`,
  execute({ service, version }) {
    done.push(`deploy ${service} ${version}`);
    return `${service} runs ${version}.`;
  },
});
const readChangelog = tool({
  name: 'read_changelog',
  execute() {
    done.push('read_changelog');
    return 'Kettles stay warm.';
  },
});
const sendMail = tool({
  name: 'send_mail',
  inputSchema: z.object({ to: z.string(), text: z.string() }),
  requiresApproval: true,
  execute({ to }) {
    done.push(`send_mail ${to}`);
    return 'sent';
  },
});

/** Replaces a model: the first response is fixed, the second repeats the results. */
function script(first: ResponseDraft) {
  return functionModel(({ messages }) => {
    const results = messages.at(-1)?.parts.filter((part) => part.kind === 'tool-return') ?? [];
    if (messages.length === 1) return first;
    return says(results.map(({ content }) => String(content)).join(' '));
  });
}

/** Creates the agents. Every process does this. */
function makeReleaseLead(ledger: MemoryLedger) {
  const writer = new Agent({
    name: 'writer',
    model: live || script(calls('send_mail', { to: 'customers', text: 'Kettles stay warm.' })),
    tools: [sendMail],
  });
  const announcer = new Agent({
    name: 'announcer',
    model: live || script(responds(calls('read_changelog'), calls('writer', { prompt: 'Write.' }))),
    tools: [readChangelog, writer.asTool({ description: 'Writes mails to customers.' })],
  });
  const operator = new Agent({
    name: 'operator',
    model: live || script(calls('deploy', { service: 'kettle', version: '1.3.0' })),
    tools: [deploy],
  });
  return new Agent({
    name: 'lead',
    model:
      live ||
      script(
        responds(
          calls('operator', { prompt: 'Deploy 1.3.0.' }),
          calls('announcer', { prompt: 'Announce it.' }),
        ),
      ),
    tools: [
      operator.asTool({ description: 'Deploys services.' }),
      announcer.asTool({ description: 'Announce news to customers.' }),
    ],
    output: [String, DeferredToolRequests],
    durability: { ledger },
  });
}

// One run of the lead. Calls that need no approval are executed; the others are pending on all
// levels.
const ledger = new MemoryLedger(); // for one process; a table of your database for several
const parked = await makeReleaseLead(ledger).run(
  'Release kettle 1.3.0 and announce it to all customers.',
);
assert.ok(parked.status === 'parked');
const stored = messageCodec.stringify(parked.messages);

// Another process, a week later, needs only the history to list the pending calls.
const messages = messageCodec.parse(stored);
const requests = requestsFromMessages(messages);
assert.ok(requests);
const questions = requests.approvals.map((call) => {
  const who = ['lead', ...requests.get(call).path.map(({ toolName }) => toolName)].join(' > ');
  const { preview = requests.get(call).args } = requests.get(call).details;
  return `${who}: ${call.toolName}, ${JSON.stringify(preview)}`;
});
console.log(questions.join('\n'));

// The approver approves the deployment and denies the mail.
const approvals = Object.fromEntries(
  requests.approvals.map((call) => {
    return [call.toolCallId, deploy.matches(call) ? true : new ToolDenied('Not on a Friday.')];
  }),
);
const resumed = makeReleaseLead(ledger);
const finished = await resumed.resume({ messages }, requests.buildResults({ approvals }));
console.log(finished.output);

if (!live) {
  assert.deepEqual(questions, [
    'lead > operator: deploy, "kettle goes to 1.3.0 for all customers"',
    'lead > announcer > writer: send_mail, {"to":"customers","text":"Kettles stay warm."}',
  ]);
  assert.deepEqual(done, ['read_changelog', 'deploy kettle 1.3.0']);
  assert.equal(finished.output, 'kettle runs 1.3.0. Kettles stay warm. Not on a Friday.');
}

// No call of any agent executes twice.
const before = [...done];
await assert.rejects(
  resumed.resume({ messages }, requests.buildResults({ approvals })),
  AlreadyResumedError,
);
assert.deepEqual(done, before);
