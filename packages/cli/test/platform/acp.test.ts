import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { repository, runNode } from '../../../core/test/support/run-program.ts';
import { Editor, selected } from '../support/editor.ts';
import { bin, holdpoint, until } from '../support/holdpoint.ts';

const AGENT = 'packages/cli/test/platform/programs/acp-agent.ts';
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-acp-'));
const state = join(folder, 'state');
afterAll(() => rmSync(folder, { recursive: true }));

describe('an agent in an editor', () => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await Editor.open(AGENT, state, { elicitation: { form: {} } });
  });
  afterEach(() => {
    editor.clear();
    editor.decide = () => selected('deny');
    editor.respond = () => ({ action: 'decline' });
  });
  afterAll(() => editor[Symbol.asyncDispose]());

  /** Returns the files that the tool has written. */
  async function written(): Promise<string> {
    editor.clear();
    await editor.prompt(await editor.start(), 'List.');
    const result = editor.updates.findLast(
      (update) => update.sessionUpdate === 'tool_call_update' && update.status === 'completed',
    );
    return JSON.stringify(result);
  }

  it('executes an approved call, and shows a diff of the file', async () => {
    editor.decide = () => selected('approve');

    expect(await editor.prompt(await editor.start(), 'Write.')).toBe('end_turn');

    expect(editor.text).toBe('I will write.Done, 3 messages.');
    expect(editor.statuses).toEqual([
      'write_file pending',
      'write_file pending',
      '… in_progress',
      '… completed',
    ]);
    const [request] = editor.requests;
    expect(request?.toolCall).toMatchObject({
      kind: 'edit',
      rawInput: { path: 'a.txt', text: 'new\n' },
      content: [
        { type: 'diff', path: join(repository, 'a.txt'), oldText: 'old\n', newText: 'new\n' },
        { type: 'content' },
      ],
    });
    // Without a desk there is no grant.
    expect(request?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once']);
    await until(() => editor.log.includes('A tool that prints to standard output.'));
    expect(await written()).toContain('a.txt');
  });

  it('does not execute a denied call', async () => {
    let decisions = 0;
    editor.decide = () => selected(decisions++ === 0 ? 'deny' : 'approve');

    expect(await editor.prompt(await editor.start(), 'Write two.')).toBe('end_turn');

    expect(editor.statuses.filter((status) => /failed|completed/.test(status))).toHaveLength(2);
    const files = await written();
    expect(files).toContain('c.txt');
    expect(files).not.toContain('b.txt');
  });

  it('does not execute a call after an unknown choice', async () => {
    editor.decide = () => selected('allow_always');
    const session = await editor.start();

    await expect(editor.prompt(session, 'Write two.')).rejects.toThrow(/not one of the offered/);

    expect(await written()).not.toContain('b.txt');
    expect(await editor.prompt(session, 'Hello.')).toBe('end_turn');
  });

  it('cancels a turn while the user decides, and ignores a later approval', async () => {
    let approve = () => {};
    editor.decide = () =>
      new Promise((resolve) => {
        approve = () => resolve(selected('approve'));
      });
    const session = await editor.start();
    const turn = editor.prompt(session, 'Write two.');
    await until(() => editor.requests.length === 1);

    await editor.cancel(session);
    expect(await turn).toBe('cancelled');
    approve();

    expect(await editor.prompt(session, 'Hello.')).toBe('end_turn');
    expect(editor.text).toContain('You wrote: Hello.');
    expect(await written()).not.toContain('b.txt');
  });

  it('cancels a turn while a tool executes', async () => {
    const session = await editor.start();
    const turn = editor.prompt(session, 'Wait.');
    await until(() => editor.statuses.includes('… in_progress'));

    await editor.cancel(session);

    expect(await turn).toBe('cancelled');
  });

  it('requests approval for calls of sub-agents, under their path', async () => {
    editor.decide = () => selected('approve');

    await editor.prompt(await editor.start(), 'Delegate.');

    expect(editor.requests.map(({ toolCall }) => toolCall.title)).toEqual([
      'remove (by helper): `cellar`',
    ]);
    expect(editor.statuses).toEqual([
      'helper pending',
      '… in_progress',
      'remove pending',
      'remove pending',
      // The sub-agent is resumed with the decision.
      '… in_progress',
      '… in_progress',
      '… completed',
      '… completed',
    ]);
    expect(editor.text).toBe('Done, 3 messages.');
  });

  it('reports to the model that the editor cannot supply the result of an external call', async () => {
    expect(await editor.prompt(await editor.start(), 'Scan.')).toBe('end_turn');

    expect(JSON.stringify(editor.updates)).toContain('the editor cannot supply it');
    expect(editor.requests).toEqual([]);
  });

  it('asks the questions of a tool with forms, and again after an invalid input', async () => {
    const contents = [{ name: 'Ada', age: 7 }, { name: 'Ada', age: 36 }, { value: 'Curiosity' }];
    editor.respond = () => ({ action: 'accept', content: contents.shift() ?? {} });

    expect(await editor.prompt(await editor.start(), 'Register.')).toBe('end_turn');

    const [first, second, third] = editor.questions;
    expect(first).toMatchObject({
      mode: 'form',
      message: 'Who⟨U+202E⟩ are you?',
      requestedSchema: {
        properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 } },
        required: ['name', 'age'],
      },
    });
    expect(second?.message).toMatch(/^Who⟨U\+202E⟩ are you\?\n\n.*18/);
    expect(third).toMatchObject({
      message: 'Why?',
      requestedSchema: { properties: { value: { type: 'string' } }, required: ['value'] },
    });
    expect(JSON.stringify(editor.updates)).toContain('Curiosity');
  });

  it.each([
    ['decline', 'end_turn', 'The user declined the question.'],
    ['cancel', 'cancelled', ''],
  ])('does not execute a call after the response %s', async (action, reason, text) => {
    editor.respond = () => ({ action });

    expect(await editor.prompt(await editor.start(), 'Choose.')).toBe(reason);

    expect(editor.questions).toMatchObject([
      { requestedSchema: { properties: { value: { enum: ['red', 'blue'] } } } },
    ]);
    expect(JSON.stringify(editor.updates)).toContain(text);
  });

  it('marks hidden characters, and keeps hostile text inside its code block', async () => {
    await editor.prompt(await editor.start(), 'Deceive.');

    const [request] = editor.requests;
    const shown = JSON.stringify([request?.toolCall.title, request?.toolCall.content]);
    expect(shown).not.toMatch(/\\u202e|\\u001b|\u202E/i);
    expect(shown).toContain('⟨U+202E⟩');
    expect(shown).toContain('Hidden characters');
    expect(request?.toolCall.title).toMatch(/^remove: `{5} .* `{5}$/);
    expect(shown).toMatch(/"`{5}\\n[^]*\\n`{5}"/);
  });

  it('rejects invalid requests with errors of JSON-RPC', async () => {
    const session = await editor.start();
    const send = (params: unknown) => editor.agent.request('session/prompt', params);

    await expect(editor.prompt('no-session', 'Hello.')).rejects.toMatchObject({ code: -32_002 });
    await expect(editor.load('../../etc/passwd')).rejects.toMatchObject({ code: -32_002 });
    await expect(editor.prompt(session, ' ')).rejects.toMatchObject({ code: -32_602 });
    await expect(send({ sessionId: session, prompt: 7 })).rejects.toMatchObject({ code: -32_602 });
    const image = [{ type: 'image', data: '', mimeType: 'image/png' }];
    await expect(send({ sessionId: session, prompt: image })).rejects.toMatchObject({
      code: -32_602,
    });
    await expect(editor.agent.request('no/method', {})).rejects.toMatchObject({ code: -32_601 });
  });

  it('rejects a second prompt while one is in progress', async () => {
    const session = await editor.start();
    const turn = editor.prompt(session, 'Wait.');
    await until(() => editor.statuses.includes('… in_progress'));

    await expect(editor.prompt(session, 'Hello.')).rejects.toMatchObject({ code: -32_600 });
    await expect(editor.load(session)).rejects.toMatchObject({ code: -32_600 });

    await editor.cancel(session);
    await turn;
  });

  it('does not send errors of other code to the editor', async () => {
    const failure = await editor.prompt(await editor.start(), 'Fail.').catch((error) => error);

    expect(failure).toMatchObject({ code: -32_603 });
    expect(JSON.stringify([failure.message, failure.data])).not.toContain('secret-token');
    await until(() => editor.log.includes('secret-token'));
  });
});

describe('an editor that disconnects', () => {
  it.each(['Write two.', 'Wait.'])('ends the turn and the command: %s', async (prompt) => {
    await using editor = await Editor.open(AGENT, state);
    editor.decide = () => new Promise(() => {});
    const turn = editor.prompt(await editor.start(), prompt).catch(() => 'disconnected');
    await until(() => editor.requests.length > 0 || editor.statuses.includes('… in_progress'));

    expect(await editor.close()).toBe(0);

    expect(editor.log).toBe('');
    expect(['cancelled', 'disconnected']).toContain(await turn);
  });
});

describe('an editor without forms', () => {
  it('cannot ask, and the model is informed', async () => {
    await using editor = await Editor.open(AGENT, state);

    await editor.prompt(await editor.start(), 'Choose.');

    expect(editor.questions).toEqual([]);
    expect(JSON.stringify(editor.updates)).toContain('The editor cannot show this question.');
  });
});

describe('a stored conversation', () => {
  it('is shown again and continues in another process, but not with another agent', async () => {
    const session = await converse();
    await using again = await Editor.open(AGENT, state);

    await again.load(session);

    expect(again.updates[0]).toMatchObject({ sessionUpdate: 'user_message_chunk' });
    expect(again.statuses).toEqual(['write_file pending', '… failed']);
    expect(again.text).toBe('I will write.Done, 3 messages.');
    again.clear();
    await again.prompt(session, 'Write.');
    expect(again.text).toBe('I will write.Done, 7 messages.');
    const other = join(repository, 'packages/cli/test/platform/programs/chat-agent.ts');
    await using stranger = await Editor.open(other, state);
    await expect(stranger.load(session)).rejects.toMatchObject({ code: -32_002 });
  });

  it.skipIf(process.platform === 'win32')('is readable by its user only', () => {
    const root = join(state, 'holdpoint', 'acp');
    const [name = ''] = readdirSync(root);
    const [file = ''] = readdirSync(join(root, name));

    expect(statSync(join(root, name)).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, name, file)).mode & 0o777).toBe(0o600);
  });

  /** Holds a conversation in a process that ends. */
  async function converse(): Promise<string> {
    await using editor = await Editor.open(AGENT, state);
    const session = await editor.start();
    await editor.prompt(session, 'Write.');
    expect(await editor.close()).toBe(0);
    return session;
  }
});

describe('the command', () => {
  it('prints only messages of the protocol, and errors for invalid JSON', async () => {
    const { stdout, exitCode } = await holdpoint(['acp', AGENT], {}, 'no json\n[]\n');

    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ error }) => error.code)).toEqual([-32_700, -32_600]);
    expect(exitCode).toBe(0);
  });

  it('rejects unknown options of the file', async () => {
    const file = join(folder, 'unknown-option.ts');
    writeFileSync(
      file,
      'export default { run() {}, stream() {}, resume() {}, asTool() {} };\nexport const acp = { kinds: {} };\n',
    );

    const { stdout, stderr, exitCode } = await holdpoint(['acp', file]);

    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain('unknown option `kinds`');
  });
});

describe('the client acpx', () => {
  it.each([
    ['--deny-all', 'failed', false],
    ['--approve-all', 'completed', true],
  ])('decides with %s', async (option, status, isWritten) => {
    const home = mkdtempSync(join(folder, 'home-'));
    const notes = join(home, 'notes');
    const node = join(repository, 'node_modules/.bin/node');
    const file = join(repository, 'examples/acp/agent.ts');
    const command = `${node} --conditions=holdpoint-source ${bin} acp ${file}`;
    const env = { HOME: home, NOTES_FOLDER: notes, XDG_STATE_HOME: home, HOLDPOINT_MODEL: '' };

    // After a denial it exits with 5.
    const printed = await runNode(
      ['node_modules/.bin/acpx', option, '--agent', command, 'exec', 'Buy milk.'],
      { cwd: repository, env },
    ).catch(String);

    expect(printed).toContain(`write_note: \`today.md Buy milk.\` (${status})`);
    expect(printed).toContain('[done] end_turn');
    expect(existsSync(join(notes, 'today.md'))).toBe(isWritten);
  });
});
