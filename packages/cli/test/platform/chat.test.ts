import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasTmux, Terminal } from '../support/tmux.ts';

const bin = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));
const agent = 'packages/cli/test/platform/programs/chat-agent.ts';

describe.skipIf(!hasTmux())('a chat in the terminal', () => {
  it('streams the text, prompts for calls, and continues the conversation', async () => {
    await using terminal = await Terminal.open(bin, ['chat', agent]);
    await terminal.see('you ›');

    await terminal.type('Pay the bill.');
    await terminal.press('Enter');
    await expect(await terminal.see('Approve pay?')).toMatchFileSnapshot('screens/chat.txt');
    await terminal.press('Enter');
    await terminal.see('Done. 3 messages so far.');
    await terminal.type('Thanks.');
    await terminal.press('Enter');
    await expect(await terminal.see('5 messages so far.')).toMatchFileSnapshot(
      'screens/chat-continues.txt',
    );
    await terminal.type('/exit');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
  });

  it('validates edited arguments with the tools of the agent', async () => {
    await using terminal = await Terminal.open(bin, ['chat', agent]);
    await terminal.see('you ›');
    await terminal.type('Pay the bill.');
    await terminal.press('Enter');
    await terminal.see('Approve pay?');

    await terminal.press('Down', 'Down', 'Enter');
    await terminal.see('Edit the arguments (JSON)');
    await terminal.press('C-u');
    await terminal.type('{"euros": 99}');
    await terminal.press('Enter');
    await terminal.see('At most 50 euros.');
    await terminal.press('C-u');
    await terminal.type('{"euros": 45}');
    await terminal.press('Enter');
    await terminal.see('Approve the call as shown?');
    await terminal.press('Enter');

    await terminal.see('45 euros paid');
  });

  it('stops a run with Ctrl-C and keeps the conversation, and ends with Ctrl-C twice', async () => {
    await using terminal = await Terminal.open(bin, ['chat', agent]);
    await terminal.see('you ›');
    await terminal.type('Pay the bill.');
    await terminal.press('Enter');
    await terminal.see('Approve pay?');

    await terminal.press('C-c');
    await terminal.see('Stopped.');
    await terminal.type('And now?');
    await terminal.press('Enter');
    await terminal.see('Done. 3 messages so far.');
    await terminal.press('C-c');
    await terminal.see('Press Ctrl-C again to leave.');
    await terminal.press('C-c');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
  });
});

/** The prompt of another process in the same terminal. */
const AT_THE_DESK = /\$ holdpoint approve \w{8}[^]*digest[^]*Approve refund\?/;

const CONTINUE = 'Enter to continue, s to skip an act, q to skip the rest.';

describe.skipIf(!hasTmux())('the demo in a terminal', () => {
  it('prompts for decisions, plays six acts, and ends with three commands', async () => {
    await using terminal = await Terminal.open(bin, ['demo']);

    await terminal.see(AT_THE_DESK);
    await terminal.press('Enter');
    await terminal.see(CONTINUE);
    await terminal.press('Enter');
    await expect(await terminal.see('Approve write_file?')).toMatchFileSnapshot('screens/demo.txt');
    await terminal.press('Enter');
    await terminal.see('Approve delete_file?');
    await terminal.press('Enter');
    await terminal.see('What is the result of ask_owner?');
    await terminal.press('Enter');
    await terminal.see('Result, as JSON');
    await terminal.type('Grace');
    await terminal.press('Enter');
    await terminal.see(/✓ files: [^]*Enter to continue/);
    await terminal.press('Enter');
    await terminal.see('Approve publish?');
    await terminal.press('Enter');
    for (const act of ['published: 1.3.0', 'all its processes', 'copied from']) {
      await terminal.see(act);
      await terminal.see(CONTINUE);
      await terminal.press('Enter');
    }

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    const shown = await terminal.scrollback();
    expect(shown).toMatch(
      /is killed \(kill -9\)[^]*Approved by Grace[^]*✓ journal of the shop: Refunded €40/,
    );
    expect(shown).toMatch(/\$ holdpoint deny[^]*`grace`[^]*\(hold-settled\)/);
    expect(shown).toMatch(
      /Intact: \d+ entries[^]*Damaged: \d+ entries[^]*✓ the forgery is detected/,
    );
    expect(shown).toContain('The change log is ready. The old log is deleted. Reviewer: Grace');
    expect(shown).toContain('✓ files: CHANGELOG.md, package.json');
    expect(shown).toMatch(/resumed the run[^]*✓ published: 1\.3\.0/);
    expect(shown).toMatch(
      /Next:\n {2}npm start -- desk\n {2}npx tsx \S+ examples\/tutorial\/2-desk\/main\.ts\n {2}npm run docs\n/,
    );
  });

  it('skips an act on s, and the rest on q', async () => {
    await using terminal = await Terminal.open(bin, ['demo']);
    await terminal.see(AT_THE_DESK);
    await terminal.press('Enter');
    await terminal.see(CONTINUE);
    await terminal.press('s');
    await terminal.see(/Act 2 is skipped\.\s+Enter to continue/);
    await terminal.press('s');
    await terminal.see(/Act 3 is skipped\.\s+Enter to continue/);
    await terminal.press('Enter');
    await terminal.see(/4\. A run that is resumed twice[^]*Enter to continue/);
    await terminal.press('q');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    const shown = await terminal.scrollback();
    expect(shown).toContain('npm start -- desk');
    expect(shown).not.toContain('2. Reads need no approval');
    expect(shown).not.toContain('5. A forged approval');
  });

  it('keeps an undecided call pending, and the desk open', async () => {
    await using terminal = await Terminal.open(bin, ['demo', 'desk']);
    await terminal.see(AT_THE_DESK);

    await terminal.press('Down', 'Enter');
    await terminal.see('Press Ctrl-C to stop.');
    const shown = await terminal.scrollback();
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(shown) ?? [];
    expect(shown).toMatch(/Nothing was decided\.[^]*The refund stays pending\./);
    expect((await fetch(`${url}/inbox`)).status).toBe(200);

    await terminal.press('C-c');
    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(fetch(`${url}/inbox`)).rejects.toThrow('fetch failed');
  });

  it.each([
    ['at the desk', AT_THE_DESK, []],
    ['in a later act', CONTINUE, ['Enter']],
  ])('leaves nothing behind if the user quits %s', async (_, question, keys) => {
    await using terminal = await Terminal.open(bin, ['demo']);
    await terminal.see(AT_THE_DESK);
    const shown = await terminal.scrollback();
    const [folder = ''] = /\/\S*holdpoint-demo-\w+/.exec(shown) ?? [];
    const pids = [...shown.matchAll(/process (\d+), file/g)].map(([, pid]) => Number(pid));
    await terminal.press(...keys);
    await terminal.see(question);

    await terminal.press('C-c');

    expect(await terminal.ended()).toEqual({ exitCode: 130, isRestored: true });
    expect(folder).not.toBe('');
    expect(existsSync(folder)).toBe(false);
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
