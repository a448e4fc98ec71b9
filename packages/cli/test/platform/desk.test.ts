import { describe, expect, it } from 'vitest';
import { CashierFolder } from '../support/cashier-folder.ts';
import { bin } from '../support/holdpoint.ts';
import { hasTmux, Terminal } from '../support/tmux.ts';

/** The screens are kept as they are, but for ids, digests and times, which are others each time. */
const kept = (screen: string) =>
  screen
    .replaceAll(/[0-9a-f]{64}/g, (digest) => '#'.repeat(digest.length))
    .replaceAll(/\b([0-9a-f]{32}|[0-9a-f]{8})\b/g, (id) => '#'.repeat(id.length))
    .replaceAll(/\b\d+ (?:s|min) ago/g, '0 s ago')
    .replaceAll(/\b\d+ (?:s|min) {2,}/g, '0 s    ');

/** Runs a command at a terminal, as Grace, on the file of the desk. */
const open = (folder: CashierFolder, ...args: readonly string[]) => {
  const who = args[0] === 'holds' ? [] : ['--by', 'grace'];
  return Terminal.open(bin, [...args, '--store', folder.file, ...who]);
};

describe.skipIf(!hasTmux())('somebody at a terminal, with a desk', () => {
  it('sees what waits, and one call whole', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40, ask owner');
    await folder.park('pay \u001b[31mada\u202e 41');

    await using list = await open(folder, 'holds');
    await list.ended();
    await expect(kept(await list.screen())).toMatchFileSnapshot('screens/desk-holds.txt');
    await using one = await open(folder, 'holds', holds[0]?.id.slice(0, 8) ?? '');
    expect(await one.ended()).toEqual({ exitCode: 0, isRestored: true });
    expect(await one.screen()).toContain('40 euros go to grace.');
  });

  it('is shown what will be decided, and approves it', async () => {
    await using folder = new CashierFolder();
    const { runId, holds } = await folder.park('pay grace 40');
    const [hold] = holds;

    await using terminal = await open(folder, 'approve', hold?.id.slice(0, 8) ?? '');
    const asked = await terminal.see('May pay run?');
    expect(asked).toContain(hold?.digest);
    await expect(kept(asked)).toMatchFileSnapshot('screens/desk-approve.txt');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(kept(await terminal.screen())).toMatchFileSnapshot('screens/desk-approved.txt');
    const desk = await folder.desk();
    await desk.work({ runId });
    expect(folder.done()).toEqual(['paid 40 to grace']);
  });

  it('desk B1: is shown an edit, and confirms it', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const edited = JSON.stringify({ to: 'grace', euros: 35 });

    await using terminal = await open(folder, 'approve', holds[0]?.id ?? '', '--args', edited);
    await expect(kept(await terminal.see('May pay run with these arguments?'))).toMatchFileSnapshot(
      'screens/desk-edit.txt',
    );
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    const { answers } = await (await folder.desk()).hold(holds[0]?.id ?? '');
    expect(answers).toMatchObject([{ answer: { kind: 'edit', args: { euros: 35 } } }]);
  });

  it('denies with a reason, which the model is told', async () => {
    await using folder = new CashierFolder();
    const { runId, holds } = await folder.park('pay grace 40');

    const id = holds[0]?.id ?? '';
    await using terminal = await open(folder, 'deny', id, '--reason', 'Not in March.');
    await expect(kept(await terminal.see('Deny pay?'))).toMatchFileSnapshot(
      'screens/desk-deny.txt',
    );
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    const desk = await folder.desk();
    expect(await desk.work({ runId })).toMatchObject({
      state: 'finished',
      output: 'I was told: Not in March.',
    });
    expect(folder.done()).toEqual([]);
  });

  it.each([
    ['says no', ['Down', 'Enter'], 1],
    ['goes back with Escape', ['Escape'], 1],
    ['presses Ctrl-C', ['C-c'], 130],
  ])('decides nothing when somebody %s', async (_, keys, exitCode) => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const [hold] = holds;

    await using terminal = await open(folder, 'approve', hold?.id ?? '');
    await terminal.see('May pay run?');
    await terminal.press(...keys);

    expect(await terminal.ended()).toEqual({ exitCode, isRestored: true });
    expect(await terminal.screen()).toContain('Nothing was decided.');
    const desk = await folder.desk();
    expect(await desk.hold(hold?.id ?? '')).toMatchObject({ hold: { state: 'open' }, answers: [] });
  });

  it('is warned, and a key in haste does not approve', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay \u001b[31mada\u202e 41');

    await using terminal = await open(folder, 'approve', holds[0]?.id ?? '');
    await expect(kept(await terminal.see('May pay run?'))).toMatchFileSnapshot(
      'screens/desk-warned.txt',
    );
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    expect(await terminal.screen()).toContain('Nothing was decided.');
  });

  it('is told at once, and asked nothing, if somebody else was faster', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const [hold] = holds;
    const desk = await folder.desk();
    const by = { id: 'ada' };
    await desk.answer(hold?.id ?? '', { kind: 'deny' }, { by, digest: hold?.digest ?? '' });

    await using terminal = await open(folder, 'approve', hold?.id ?? '');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    await expect(kept(await terminal.screen())).toMatchFileSnapshot('screens/desk-settled.txt');
  });

  it('is no longer asked when somebody else answers meanwhile, and nothing is sent', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const [hold] = holds;
    await using terminal = await open(folder, 'approve', hold?.id ?? '');
    await terminal.see('May pay run?');

    const desk = await folder.desk();
    const by = { id: 'ada', name: 'Ada' };
    await desk.answer(hold?.id ?? '', { kind: 'deny' }, { by, digest: hold?.digest ?? '' });

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    expect(await terminal.screen()).toMatch(/Ada \(ada\) has answered it meanwhile, with 'deny'\./);
    expect((await desk.hold(hold?.id ?? '')).answers).toHaveLength(1);
  });
});
