import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasTmux, Terminal } from '../support/tmux.ts';

const bin = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));
const agent = 'packages/cli/test/platform/programs/chat-agent.ts';

describe.skipIf(!hasTmux())('a conversation in the terminal', () => {
  it('streams what the agent says, asks about its calls, and goes on', async () => {
    await using terminal = await Terminal.open(bin, ['chat', agent]);
    await terminal.see('you ›');

    await terminal.type('Pay the bill.');
    await terminal.press('Enter');
    await expect(await terminal.see('May pay run?')).toMatchFileSnapshot('screens/chat.txt');
    await terminal.press('Enter');
    await terminal.see('Done. 3 messages so far.');
    await terminal.type('Thanks.');
    await terminal.press('Enter');
    await expect(await terminal.see('5 messages so far.')).toMatchFileSnapshot(
      'screens/chat-goes-on.txt',
    );
    await terminal.type('/exit');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
  });

  it('checks edited arguments with the tools of the agent', async () => {
    await using terminal = await Terminal.open(bin, ['chat', agent]);
    await terminal.see('you ›');
    await terminal.type('Pay the bill.');
    await terminal.press('Enter');
    await terminal.see('May pay run?');

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
    await terminal.see('May pay run?');

    await terminal.press('C-c');
    await terminal.see('Stopped.');
    await terminal.type('And now?');
    await terminal.press('Enter');
    await terminal.see('Done. 3 messages so far.');
    await terminal.press('C-c');
    await terminal.see('Ctrl-C again to leave.');
    await terminal.press('C-c');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
  });
});

/** The question of a command of its own, at the same terminal. */
const AT_THE_DESK = /\$ holdpoint approve \w{8}[^]*digest[^]*May refund run\?/;

describe.skipIf(!hasTmux())('the demo in a terminal', () => {
  it('asks whoever sits there, shows the rest, and ends by itself', async () => {
    await using terminal = await Terminal.open(bin, ['demo']);

    await terminal.see(AT_THE_DESK);
    await terminal.press('Enter');
    await expect(await terminal.see('May write_file run?')).toMatchFileSnapshot('screens/demo.txt');
    await terminal.press('Enter');
    await terminal.see('May delete_file run?');
    await terminal.press('Enter');
    await terminal.see('What is the result of ask_owner?');
    await terminal.press('Enter');
    await terminal.see('Its result');
    await terminal.type('Grace');
    await terminal.press('Enter');
    await terminal.see('May publish run?');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    const shown = await terminal.scrollback();
    expect(shown).toMatch(
      /is killed \(kill -9\)[^]*Approved, by Grace[^]*✓ in the books: 40 euros back/,
    );
    expect(shown).toMatch(/\$ holdpoint deny[^]*answered before, by\s+'grace'/);
    expect(shown).toMatch(/Intact: \d+ entries[^]*Damaged: \d+ entries[^]*✓ it is found/);
    expect(shown).toContain('The change log is ready. The old log is gone. The owner says: Grace');
    expect(shown).toContain('✓ the folder has CHANGELOG.md, package.json');
    expect(shown).toMatch(/has gone on with it[^]*✓ published: 1\.3\.0/);
  });

  it('leaves a call at the desk waiting if somebody does not approve it, and the desk open', async () => {
    await using terminal = await Terminal.open(bin, ['demo', 'desk']);
    await terminal.see(AT_THE_DESK);

    await terminal.press('Down', 'Enter');
    await terminal.see('Ctrl-C ends it.');
    const shown = await terminal.scrollback();
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(shown) ?? [];
    expect(shown).toMatch(/Nothing was decided\.[^]*It waits on\./);
    expect((await fetch(`${url}/inbox`)).status).toBe(200);

    await terminal.press('C-c');
    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(fetch(`${url}/inbox`)).rejects.toThrow('fetch failed');
  });

  it.each([
    ['at the desk', AT_THE_DESK, []],
    ['later on', 'May write_file run?', ['Enter']],
  ])('ends when somebody quits %s, and leaves nothing behind', async (_, question, keys) => {
    await using terminal = await Terminal.open(bin, ['demo']);
    await terminal.see(AT_THE_DESK);
    const shown = await terminal.scrollback();
    const [folder = ''] = /\/\S*holdpoint-demo-\w+/.exec(shown) ?? [];
    const pids = [...shown.matchAll(/process (\d+), in/g)].map(([, pid]) => Number(pid));
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
