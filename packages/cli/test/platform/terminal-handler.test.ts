import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runNode } from '../../../core/test/support/run-program.ts';
import { hasTmux, Terminal } from '../support/tmux.ts';

const program = fileURLToPath(new URL('./programs/ask.ts', import.meta.url));
const open = (script: string, environment?: Readonly<Record<string, string>>) =>
  Terminal.open(program, [script], environment);
/** Screens are stored as files, so that reviewers can read them. */
const keptScreen = (name: string) => `screens/${name}.txt`;

describe.skipIf(!hasTmux())('an approver at a terminal', () => {
  it('sees the batch and the diff of the first call, and approves it', async () => {
    await using terminal = await open('batch');

    await expect(await terminal.see('Approve write_file?')).toMatchFileSnapshot(
      keptScreen('batch'),
    );
    await terminal.press('Enter');
    await expect(await terminal.see('Approve delete_file?')).toMatchFileSnapshot(
      keptScreen('batch-second-call'),
    );
  });

  it('approves a call, and it is executed', async () => {
    await using terminal = await open('one');

    await expect(await terminal.see('Approve delete_file?')).toMatchFileSnapshot(keptScreen('one'));
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(await terminal.screen()).toMatchFileSnapshot(keptScreen('one-approved'));
  });

  it('responds to a question with a form, sees invalid values, and the tool gets the input', async () => {
    await using terminal = await open('question');
    await expect(await terminal.see('Which table do you want?')).toMatchFileSnapshot(
      keptScreen('question'),
    );
    await terminal.press('Enter');
    await terminal.see('name. Enter: done.');
    await terminal.type('Ada');
    await terminal.press('Enter');
    await terminal.see('guests. Enter: done.');
    await terminal.type('20');
    await terminal.press('Enter');
    await terminal.see('must be at most 8.');
    await terminal.press('C-u');
    await terminal.type('2');
    await terminal.press('Enter');
    await terminal.see('outside');
    await terminal.press('Down', 'Enter');
    await terminal.see('room');
    await terminal.press('Down', 'Enter');
    await terminal.see('note (optional)');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(await terminal.screen()).toMatchFileSnapshot(keptScreen('question-decided'));
  });

  it('denies a call with a reason, which the model receives', async () => {
    await using terminal = await open('one');
    await terminal.see('Approve delete_file?');

    await terminal.press('Down', 'Enter');
    await terminal.see('Reason for the model');
    await terminal.type('It is needed.');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(await terminal.screen()).toMatchFileSnapshot(keptScreen('one-denied'));
  });

  it('requests changes with a text, which the model receives, and the call is not executed', async () => {
    await using terminal = await open('one');
    await terminal.see('Approve delete_file?');

    await terminal.press('Up', 'Up', 'Enter');
    await terminal.see('What should the model change or explain?');
    await terminal.press('Enter');
    await terminal.see('Type a message for the model.');
    await terminal.type('Which backup?');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(await terminal.screen()).toMatchFileSnapshot(keptScreen('one-changes'));
  });

  it('edits the arguments, sees the validation errors, and approves valid arguments', async () => {
    await using terminal = await open('edit');
    await terminal.see('Approve write_file?');
    await terminal.press('Down', 'Down', 'Enter');
    await terminal.see('Edit the arguments (JSON)');

    await terminal.press('C-u');
    await terminal.type('{"path": "b.txt", "content": 7}');
    await terminal.press('Enter');
    await expect(await terminal.see('Only .md files.')).toMatchFileSnapshot(
      keptScreen('edit-does-not-fit'),
    );
    await terminal.press('C-u');
    await terminal.type('{"path": "b.md", ');
    await terminal.press('Enter');
    await terminal.see('This is not JSON');
    await terminal.type('"content": "# Kettle"}');
    await terminal.press('Enter');
    await expect(await terminal.see('Approve the call as shown?')).toMatchFileSnapshot(
      keptScreen('edit-fits'),
    );
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: write b.md "# Kettle"');
  });

  it('leaves an edit with Escape without changes', async () => {
    await using terminal = await open('one');
    await terminal.see('Approve delete_file?');

    await terminal.press('Down', 'Down', 'Enter');
    await terminal.see('Edit the arguments (JSON)');
    await terminal.type('nonsense');
    await terminal.press('Escape');
    await terminal.see(/○ Approve[^]*● Edit the arguments/);
    await terminal.press('Up', 'Up', 'Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: delete old.log;');
  });

  it.each([
    { choice: 0, typed: '{"who": "Grace"}', model: 'received: [{"who":"Grace"}]' },
    { choice: 0, typed: 'Grace, of course', model: 'received: ["Grace, of course"]' },
    { choice: 1, typed: 'The office is closed.', model: 'received: ["The office is closed."]' },
    { choice: 2, typed: 'Ask in French.', model: 'Ask in French.' },
  ])('records $typed for an external call', async ({ choice, typed, model }) => {
    await using terminal = await open('external');
    const screen = await terminal.see('What is the result of ask_owner?');
    if (choice === 0) await expect(screen).toMatchFileSnapshot(keptScreen('external'));

    await terminal.press(...Array.from({ length: choice }, () => 'Down'), 'Enter');
    await terminal.see('Enter: done.');
    await terminal.type(typed);
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain(model);
  });

  it('approves the rest, and sees a prompt only for an external call', async () => {
    await using terminal = await open('batch');
    await terminal.see('Approve write_file?');

    await terminal.press('Down', 'Down', 'Down', 'Enter');
    await expect(await terminal.see('What is the result of ask_owner?')).toMatchFileSnapshot(
      keptScreen('rest-approved'),
    );
    await terminal.press('Enter');
    await terminal.see('Result, as JSON');
    await terminal.type('me');
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('delete old.log, delete older.log');
  });

  it('approves a call for the session, which covers equal calls only', async () => {
    await using terminal = await open('repeated');
    await terminal.see('Approve delete_file?');

    await terminal.press('Down', 'Down', 'Down', 'Enter');
    await expect(await terminal.see(/other\.log\n[^]*● Approve/)).toMatchFileSnapshot(
      keptScreen('session'),
    );
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain(
      'ran: delete old.log, delete old.log, delete other.log;',
    );
  });

  it('sees that a call was denied before, and Enter does not approve', async () => {
    await using terminal = await open('again');
    await terminal.see('Approve delete_file?');
    await terminal.press('Down', 'Enter');
    await terminal.see('Reason for the model');
    await terminal.press('Enter');

    await expect(await terminal.see(/Denied before[^]*● Deny/)).toMatchFileSnapshot(
      keptScreen('denied-before'),
    );
    await terminal.press('Enter');
    await terminal.see(/Reason for the model[^]*Reason for the model/);
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: nothing;');
  });

  it('sees that a call is in doubt, and records what happened', async () => {
    await using terminal = await open('doubt');
    const screen = await terminal.see('pay may already have been executed.');
    await expect(screen.replace(/\d{4}-.*?UTC/, 'TIME')).toMatchFileSnapshot(
      keptScreen('in-doubt'),
    );

    await terminal.press('Down', 'Enter');
    await terminal.see('Result, as JSON');
    await terminal.type('It was paid.');
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('received: ["It was paid."]');
    expect(await terminal.screen()).toContain('ran: pay 40;');
  });

  it('sees a long call folded, and unfolds it', async () => {
    await using terminal = await open('long');
    await expect(await terminal.see('Approve write_file?')).toMatchFileSnapshot(keptScreen('long'));

    await terminal.press(...Array.from({ length: 5 }, () => 'Down'), 'Enter');
    await terminal.see(/Line 60[^]*Approve write_file/);

    const shown = await terminal.scrollback();
    expect(shown).toContain('+ Line 60 of a long text.');
    await terminal.press('C-c');
    await terminal.ended();
  });

  it('sees the path of a nested call', async () => {
    await using terminal = await open('nested');

    await expect(await terminal.see('Approve delete_file?')).toMatchFileSnapshot(
      keptScreen('nested'),
    );
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: delete old.log;');
  });

  it('sees the prompts of two runs one after the other', async () => {
    await using terminal = await open('parallel');

    expect(await terminal.see('Approve delete_file?')).not.toContain('second.log');
    await terminal.press('Enter');
    await terminal.see(/second\.log[^]*● Approve/);
    await terminal.press('Down', 'Enter');
    await terminal.see('Reason for the model');
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: delete first.log;');
  });
});

describe.skipIf(!hasTmux())('text that a model wrote to deceive', () => {
  it('is shown with markers for hidden characters, and does not control the terminal', async () => {
    await using terminal = await open('hostile');

    await expect(await terminal.see('Approve delete_file?')).toMatchFileSnapshot(
      keptScreen('hostile'),
    );
  });

  it('does not control the terminal with colours either', async () => {
    await using terminal = await open('hostile', { FORCE_COLOR: '1' });

    const screen = await terminal.see('Approve delete_file?');
    const styled = await terminal.styled();

    expect(screen).toContain('safe.log⟨ESC⟩[2J⟨ESC⟩[1;1H⟨ESC⟩]0;owned⟨BEL⟩⟨ESC⟩[8m⟨CR⟩/etc/passwd');
    expect(styled).toContain('\u001B[35m⟨ESC⟩');
    expect(styled).not.toContain('\u001B[8m');
  });
});

describe.skipIf(!hasTmux())('a prompt without a decision', () => {
  it.each(['C-c', 'C-d'])(
    'ends the run with an abort error on %s, and no call is executed',
    async (key) => {
      await using terminal = await open('batch');
      await terminal.see('Approve write_file?');
      await terminal.press('Enter');
      await terminal.see('Approve delete_file?');

      await terminal.press(key);

      expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
      const screen = await terminal.screen();
      expect(screen).toContain('AbortError: The approver ended the run in the terminal.');
      expect(screen).toContain('ran: nothing');
      if (key === 'C-c') await expect(screen).toMatchFileSnapshot(keptScreen('quit'));
    },
  );

  it('ends the run on Quit', async () => {
    await using terminal = await open('one');
    await terminal.see('Approve delete_file?');

    await terminal.press('Up', 'Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    expect(await terminal.screen()).toContain('ran: nothing');
  });

  it('closes when the run is aborted', async () => {
    await using terminal = await open('aborted');
    await terminal.see('Approve delete_file?');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    const screen = await terminal.screen();
    expect(screen).toContain('The run was aborted. The pending calls were not executed.');
    expect(screen).toContain('TimeoutError');
    expect(screen).toContain('ran: nothing');
  });

  it('ignores keys that were typed before it was visible', async () => {
    await using terminal = await open('one');

    await terminal.typeAhead('Down', 'Down', 'Enter');

    expect(await terminal.see('Approve delete_file?')).toContain('● Approve');
  });
});

describe('the handler without a terminal', () => {
  it('executes nothing, and the error says what to do', async () => {
    const args = ['--conditions=holdpoint-source', program, 'one'];
    const failure = await runNode(args).catch((error: Error) => error.message);

    expect(failure).toContain('UserError: There is no terminal (TTY) for input and output');
    expect(failure).toContain('add `DeferredToolRequests` to the outputs');
    expect(failure).toContain('ran: nothing;');
  });
});
