import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Decision, type HoldRow, openDesk, type ServedDesk } from '@holdpoint/desk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { repository, runNode } from '../../../core/test/support/run-program.ts';
import { Editor, selected } from '../support/editor.ts';
import { bin, holdpoint, until } from '../support/holdpoint.ts';

const FILE = 'packages/cli/test/platform/programs/acp-desk.ts';
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-acp-desk-'));
const FORMS = { elicitation: { form: {} } };

/** The desk of another process: it has the decisions of the inbox, and executes nothing. */
let inbox: ServedDesk;

beforeAll(async () => {
  process.env['ACP_DESK_FILE'] = join(folder, 'desk.db');
  const { default: options } = await import('./programs/acp-desk.ts');
  inbox = openDesk(options);
});

afterAll(async () => {
  await inbox.close();
  delete process.env['ACP_DESK_FILE'];
  rmSync(folder, { recursive: true });
});

const openEditor = (capabilities = {}): Promise<Editor> =>
  Editor.open(FILE, join(folder, 'state'), capabilities);

async function openHold(): Promise<HoldRow> {
  const { items } = await inbox.holds({ states: ['open'] });
  expect(items).toHaveLength(1);
  return items[0]!;
}

async function decide(
  { id, digest }: HoldRow,
  decision: Decision,
  by = { id: 'grace' },
  roles = ['accounting', 'engineering'],
): Promise<void> {
  await inbox.decide(id, decision, { by, roles, digest });
}

const addressOf = ({ id }: HoldRow): string => `https://desk.test/inbox/holds/${id}`;

describe('an editor with a desk', () => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await openEditor();
  });
  afterEach(() => {
    editor.clear();
    editor.decide = () => selected('deny');
  });
  afterAll(() => editor[Symbol.asyncDispose]());

  it('decides the holds that its user may decide', async () => {
    const session = await editor.start();

    expect(await editor.prompt(session, 'Write.')).toBe('end_turn');
    expect(editor.text).toBe('I will write.Results: The tool call was denied..');
    editor.clear();
    editor.decide = () => selected('approve');
    expect(await editor.prompt(session, 'Write.')).toBe('end_turn');

    expect(editor.text).toBe('I will write.Results: a.txt written.');
    expect(editor.statuses).toEqual(
      expect.arrayContaining(['write pending', '… in_progress', '… completed']),
    );
    const { items } = await inbox.runs({});
    expect(items[0]).toMatchObject({ requester: { id: 'ada' }, state: 'finished' });
  });

  it('creates a grant with `allow_always`, only within the policy', async () => {
    editor.decide = () => selected('always');
    const session = await editor.start();
    await editor.prompt(session, 'Write.');

    expect(editor.requests[0]?.options).toContainEqual({
      optionId: 'always',
      name: 'Approve all calls of this tool for my runs',
      kind: 'allow_always',
    });
    const { items } = await inbox.grants({ live: true });
    // The policy allows the scope `agent`; the choice of one user is about the runs of this user.
    expect(items).toMatchObject([{ toolName: 'write', scope: 'requester', by: [{ id: 'ada' }] }]);
    editor.clear();
    await editor.prompt(await editor.start(), 'Write.');
    expect(editor.requests).toEqual([]);
    expect(editor.text).toBe('I will write.Results: a.txt written.');
    await inbox.revokeGrant(items[0]!.id, { by: { id: 'grace' } });
  });

  it('ends the turn with the address of a hold of other people, and continues after their decision', async () => {
    const session = await editor.start();
    expect(await editor.prompt(session, 'Pay.')).toBe('end_turn');
    const hold = await openHold();

    expect(editor.requests).toEqual([]);
    expect(editor.text).toContain(addressOf(hold));
    expect(editor.statuses.at(-1)).toBe('pay pending');
    editor.clear();
    expect(await editor.prompt(session, 'Hello.')).toBe('end_turn');
    expect(editor.text).toContain('Your message was not sent');
    expect(editor.text).toContain(addressOf(hold));
    editor.clear();
    await decide(hold, { kind: 'approve' });
    await until(() => editor.text.includes('Results: 40 paid.'));

    expect(editor.statuses.at(-1)).toBe('… completed');
    editor.clear();
    expect(await editor.prompt(session, 'Hello.')).toBe('end_turn');
    expect(editor.text).toBe('You wrote: Hello.');
  });

  it('shows a denial of the inbox to the model', async () => {
    await editor.prompt(await editor.start(), 'Pay.');
    await decide(await openHold(), { kind: 'deny', reason: 'No budget.' });

    await until(() => editor.text.includes('Results: No budget.'));
    expect(editor.statuses.at(-1)).toBe('… failed');
  });

  it('withdraws a request that is decided in the inbox', async () => {
    editor.decide = () => new Promise(() => {});
    const turn = editor.prompt(await editor.start(), 'Write.');
    await until(() => editor.requests.length === 1);
    await decide(await openHold(), { kind: 'approve' });

    expect(await turn).toBe('end_turn');
    expect(editor.text).toContain('Results: a.txt written.');
  });

  it('cancels the run with the prompt, so that no pending call can be approved', async () => {
    editor.decide = () => new Promise(() => {});
    const session = await editor.start();
    const turn = editor.prompt(session, 'Write.');
    await until(() => editor.requests.length === 1);
    const hold = await openHold();
    await editor.cancel(session);

    expect(await turn).toBe('cancelled');
    expect((await inbox.run(hold.runId)).state).toBe('cancelled');
    await expect(decide(hold, { kind: 'approve' })).rejects.toThrow();
  });

  it('shows the address of a hold of a sub-agent, and its result', async () => {
    await editor.prompt(await editor.start(), 'Delegate.');
    const hold = await openHold();
    expect(editor.text).toContain(addressOf(hold));
    await decide(hold, { kind: 'approve' });

    await until(() => editor.text.includes('Results: Paid.'));
    expect(editor.statuses.filter((status) => status === '… completed')).toHaveLength(2);
  });

  it('asks a question, and again after an invalid input', async () => {
    await using other = await openEditor(FORMS);
    const contents = [{ value: 0 }, { value: 4 }];
    other.respond = () => ({ action: 'accept', content: contents.shift() ?? {} });
    await other.prompt(await other.start(), 'Book.');

    expect(other.questions).toHaveLength(2);
    expect(other.text).toBe('Results: 4 guests.');
  });

  it('leaves a question open that it cannot show, for the inbox', async () => {
    await editor.prompt(await editor.start(), 'Book.');
    const hold = await openHold();
    expect(editor.text).toContain(addressOf(hold));
    await expect(decide(hold, { kind: 'input', value: 0 })).rejects.toThrow();
    await decide(hold, { kind: 'input', value: 2 });

    await until(() => editor.text.includes('Results: 2 guests.'));
  });
});

describe('a session at the desk', () => {
  it('is parked in one process, decided in the inbox, and continued in another process', async () => {
    const session = await parkedSession();
    const hold = await openHold();
    await using again = await openEditor();
    await again.load(session);
    expect(again.updates[0]).toMatchObject({ sessionUpdate: 'user_message_chunk' });
    expect(again.text).toContain(addressOf(hold));
    again.clear();
    await decide(hold, { kind: 'approve' });

    await until(() => again.text.includes('Results: 40 paid.'));
    expect(again.statuses.at(-1)).toBe('… completed');
    // The update is about the call that was shown after the load.
    expect(JSON.stringify(again.updates)).toMatch(/"toolCallId":"1\//);
  });

  it('asks a question in another process than the one that parked, with an invalid input first', async () => {
    const session = await parkedSession('Book.');
    await using again = await openEditor(FORMS);
    await again.load(session);
    again.clear();
    const contents = [{ value: 0 }, { value: 3 }];
    again.respond = () => ({ action: 'accept', content: contents.shift() ?? {} });

    expect(await again.prompt(session, 'Hello.')).toBe('end_turn');

    expect(again.questions).toHaveLength(2);
    expect(again.text).toBe('Results: 3 guests.You wrote: Hello.');
  });

  it('is not found by another user, or under an id of another form', async () => {
    const session = await parkedSession();
    process.env['ACP_PERSON'] = 'eve';
    await using stranger = await openEditor();
    delete process.env['ACP_PERSON'];

    await expect(stranger.load(session)).rejects.toMatchObject({ code: -32_002 });
    await expect(stranger.load(`../ada/${session}`)).rejects.toMatchObject({ code: -32_002 });
    await decide(await openHold(), { kind: 'deny' });
  });

  /** Starts a run in a process that ends while it is parked. */
  async function parkedSession(prompt = 'Pay.'): Promise<string> {
    await using editor = await openEditor();
    const session = await editor.start();
    await editor.prompt(session, prompt);
    expect(await editor.close()).toBe(0);
    return session;
  }
});

describe('the file of a desk', () => {
  it('needs the name of the agent if there are several', async () => {
    const file = join(folder, 'two-agents.ts');
    writeFileSync(
      file,
      `import desk from ${JSON.stringify(join(repository, FILE))};
       const { writer } = desk.agents;
       export default { store: desk.store, agents: { writer, reader: writer } };
       export const acp = { agent: 'clerk' };`,
    );

    const { stderr, exitCode } = await holdpoint(['acp', file]);

    expect(stderr).toContain('The desk has no agent `clerk`.');
    expect(exitCode).toBe(1);
  });
});

describe('the client acpx with a desk', () => {
  it.each([
    ['--deny-all', 'failed', 'The tool call was denied.'],
    ['--approve-all', 'completed', 'a.txt written'],
  ])('decides with %s', async (option, status, result) => {
    const home = mkdtempSync(join(folder, 'home-'));
    const node = join(repository, 'node_modules/.bin/node');
    const command = `${node} --conditions=holdpoint-source ${bin} acp ${join(repository, FILE)}`;
    const env = { HOME: home, XDG_STATE_HOME: home, ACP_DESK_FILE: join(home, 'desk.db') };

    // After a denial it exits with 5.
    const printed = await runNode(
      ['node_modules/.bin/acpx', option, '--agent', command, 'exec', 'Write.'],
      { cwd: repository, env },
    ).catch(String);

    expect(printed).toContain(`write: \`a.txt\` (${status})`);
    expect(printed).toContain(`Results: ${result}`);
    expect(printed).toContain('[done] end_turn');
  });
});
