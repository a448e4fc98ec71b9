import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runNode } from '../../../core/test/support/run-program.ts';
import { hasTmux, Terminal } from '../support/tmux.ts';

const program = fileURLToPath(new URL('./programs/ask.ts', import.meta.url));
const open = (script: string, environment?: Readonly<Record<string, string>>) =>
  Terminal.open(program, [script], environment);
/** The screens are kept as they are, to be looked at. */
const keptScreen = (name: string) => `screens/${name}.txt`;

describe.skipIf(!hasTmux())('somebody at a terminal', () => {
  it('sees the batch at a glance and the first call with what it changes, and approves it', async () => {
    await using terminal = await open('batch');

    await expect(await terminal.see('May write_file run?')).toMatchFileSnapshot(
      keptScreen('batch'),
    );
    await terminal.press('Enter');
    await expect(await terminal.see('May delete_file run?')).toMatchFileSnapshot(
      keptScreen('batch-second-call'),
    );
  });

  it('approves a call, and it runs', async () => {
    await using terminal = await open('one');

    await expect(await terminal.see('May delete_file run?')).toMatchFileSnapshot(keptScreen('one'));
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(await terminal.screen()).toMatchFileSnapshot(keptScreen('one-approved'));
  });

  it('denies a call with a reason, which the model is told', async () => {
    await using terminal = await open('one');
    await terminal.see('May delete_file run?');

    await terminal.press('Down', 'Enter');
    await terminal.see('Why not?');
    await terminal.type('It is needed.');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(await terminal.screen()).toMatchFileSnapshot(keptScreen('one-denied'));
  });

  it('edits the arguments, is told what is wrong with them, and runs the call with better ones', async () => {
    await using terminal = await open('edit');
    await terminal.see('May write_file run?');
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

  it('goes back from an edit with Escape, and nothing has changed', async () => {
    await using terminal = await open('one');
    await terminal.see('May delete_file run?');

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
    { choice: 0, typed: '{"who": "Grace"}', model: 'told: [{"who":"Grace"}]' },
    { choice: 0, typed: 'Grace, of course', model: 'told: ["Grace, of course"]' },
    { choice: 1, typed: 'Nobody is there.', model: 'told: ["Nobody is there."]' },
    { choice: 2, typed: 'Ask in French.', model: 'Ask in French.' },
  ])('answers an external call with $typed', async ({ choice, typed, model }) => {
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

  it('approves the rest, and is asked only what needs more than a yes', async () => {
    await using terminal = await open('batch');
    await terminal.see('May write_file run?');

    await terminal.press('Down', 'Down', 'Down', 'Enter');
    await expect(await terminal.see('What is the result of ask_owner?')).toMatchFileSnapshot(
      keptScreen('rest-approved'),
    );
    await terminal.press('Enter');
    await terminal.see('Its result');
    await terminal.type('me');
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('delete old.log, delete older.log');
  });

  it('approves a call for the session, which holds for exactly the same call', async () => {
    await using terminal = await open('repeated');
    await terminal.see('May delete_file run?');

    await terminal.press('Down', 'Down', 'Down', 'Enter');
    await expect(await terminal.see('other.log\n')).toMatchFileSnapshot(keptScreen('session'));
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain(
      'ran: delete old.log, delete old.log, delete other.log;',
    );
  });

  it('sees that a call was denied before, and that yes is not what the next key says', async () => {
    await using terminal = await open('again');
    await terminal.see('May delete_file run?');
    await terminal.press('Down', 'Enter');
    await terminal.see('Why not?');
    await terminal.press('Enter');

    await expect(await terminal.see('Denied before')).toMatchFileSnapshot(
      keptScreen('denied-before'),
    );
    await terminal.press('Enter');
    await terminal.see(/Why not\?[^]*Why not\?/);
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: nothing;');
  });

  it('sees that a call may have run already, and says what came of it', async () => {
    await using terminal = await open('doubt');
    const screen = await terminal.see('What about pay?');
    await expect(screen.replace(/\d{4}-.*?UTC/, 'TIME')).toMatchFileSnapshot(
      keptScreen('in-doubt'),
    );

    await terminal.press('Down', 'Enter');
    await terminal.see('Its result');
    await terminal.type('It was paid.');
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('told: ["It was paid."]');
    expect(await terminal.screen()).toContain('ran: pay 40;');
  });

  it('sees the beginning of what is long, and all of it on demand', async () => {
    await using terminal = await open('long');
    await expect(await terminal.see('May write_file run?')).toMatchFileSnapshot(keptScreen('long'));

    await terminal.press(...Array.from({ length: 4 }, () => 'Down'), 'Enter');
    await terminal.see(/Line 60[^]*May write_file run/);

    const shown = await terminal.scrollback();
    expect(shown).toContain('+ Line 60 of a long text.');
    await terminal.press('C-c');
    await terminal.ended();
  });

  it('sees who has made the call of an agent below', async () => {
    await using terminal = await open('nested');

    await expect(await terminal.see('May delete_file run?')).toMatchFileSnapshot(
      keptScreen('nested'),
    );
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: delete old.log;');
  });

  it('is asked by two runs at once, one after the other', async () => {
    await using terminal = await open('parallel');

    expect(await terminal.see('May delete_file run?')).not.toContain('second.log');
    await terminal.press('Enter');
    await terminal.see('second.log');
    await terminal.press('Down', 'Enter');
    await terminal.see('Why not?');
    await terminal.press('Enter');

    await terminal.ended();
    expect(await terminal.screen()).toContain('ran: delete first.log;');
  });
});

describe.skipIf(!hasTmux())('text that a model wrote to deceive', () => {
  it('is shown with everything that cannot be seen in it, and does nothing to the terminal', async () => {
    await using terminal = await open('hostile');

    await expect(await terminal.see('May delete_file run?')).toMatchFileSnapshot(
      keptScreen('hostile'),
    );
  });

  it('does nothing to the terminal where there are colours, either', async () => {
    await using terminal = await open('hostile', { FORCE_COLOR: '1' });

    const screen = await terminal.see('May delete_file run?');
    const styled = await terminal.styled();

    expect(screen).toContain('safe.log⟨ESC⟩[2J⟨ESC⟩[1;1H⟨ESC⟩]0;owned⟨BEL⟩⟨ESC⟩[8m⟨CR⟩/etc/passwd');
    expect(styled).toContain('\u001B[35m⟨ESC⟩');
    expect(styled).not.toContain('\u001B[8m');
  });
});

describe.skipIf(!hasTmux())('a question that is not answered', () => {
  it.each(['C-c', 'C-d'])(
    'ends the run with an abort error on %s, and nothing has run',
    async (key) => {
      await using terminal = await open('batch');
      await terminal.see('May write_file run?');
      await terminal.press('Enter');
      await terminal.see('May delete_file run?');

      await terminal.press(key);

      expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
      const screen = await terminal.screen();
      expect(screen).toContain('AbortError: Whoever was asked in the terminal has ended the run.');
      expect(screen).toContain('ran: nothing');
      if (key === 'C-c') await expect(screen).toMatchFileSnapshot(keptScreen('quit'));
    },
  );

  it('ends the run on Quit as well', async () => {
    await using terminal = await open('one');
    await terminal.see('May delete_file run?');

    await terminal.press('Up', 'Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    expect(await terminal.screen()).toContain('ran: nothing');
  });

  it('is closed when the run is aborted meanwhile', async () => {
    await using terminal = await open('aborted');
    await terminal.see('May delete_file run?');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    const screen = await terminal.screen();
    expect(screen).toContain('The run was aborted meanwhile. Nothing that waited has run.');
    expect(screen).toContain('TimeoutError');
    expect(screen).toContain('ran: nothing');
  });

  it('does not take what was typed before it was there', async () => {
    await using terminal = await open('one');

    await terminal.press('Down', 'Down', 'Enter');

    expect(await terminal.see('May delete_file run?')).toContain('● Approve');
  });
});

describe('where there is no terminal', () => {
  it('nobody is asked, nothing runs, and the error says what to do', async () => {
    const args = ['--conditions=holdpoint-source', program, 'one'];
    const failure = await runNode(args).catch((error: Error) => error.message);

    expect(failure).toContain('UserError: Nobody can be asked: there is no terminal (TTY)');
    expect(failure).toContain('DeferredToolRequests among the outputs');
    expect(failure).toContain('ran: nothing;');
  });
});
