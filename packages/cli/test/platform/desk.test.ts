import { openDesk } from '@holdpoint/desk';
import { Agent, InputRequired, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { CashierFolder } from '../support/cashier-folder.ts';
import { bin } from '../support/holdpoint.ts';
import { hasTmux, Terminal } from '../support/tmux.ts';

const TABLE = {
  type: 'object',
  properties: {
    guests: { type: 'integer', maximum: 8 },
    area: { enum: ['inside', 'outside'] },
  },
  required: ['guests', 'area'],
} as const;

/** Replaces ids, digests and times, which differ each time. */
const kept = (screen: string) =>
  screen
    .replaceAll(/[0-9a-f]{64}/g, (digest) => '#'.repeat(digest.length))
    .replaceAll(/\b([0-9a-f]{32}|[0-9a-f]{8})\b/g, (id) => '#'.repeat(id.length))
    .replaceAll(/\b\d+ (?:s|min) ago/g, '0 s ago')
    .replaceAll(/\b\d+ (?:s|min) {2,}/g, '0 s    ');

/** Runs a command in a terminal, as Grace, on the file of the desk. */
const open = (folder: CashierFolder, ...args: readonly string[]) => {
  const who = args[0] === 'holds' ? [] : ['--by', 'grace'];
  return Terminal.open(bin, [...args, '--store', folder.file, ...who]);
};

describe.skipIf(!hasTmux())('an approver at a terminal, with a desk', () => {
  it('lists open holds and shows one completely', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40, ask owner');
    await folder.park('pay \u001b[31mada\u202e 41');

    await using list = await open(folder, 'holds');
    await list.ended();
    await expect(kept(await list.screen())).toMatchFileSnapshot('screens/desk-holds.txt');
    await using one = await open(folder, 'holds', 'show', holds[0]?.id.slice(0, 8) ?? '');
    expect(await one.ended()).toEqual({ exitCode: 0, isRestored: true });
    expect(await one.screen()).toContain('Pay €40 to grace.');
  });

  it('reviews a call and approves it', async () => {
    await using folder = new CashierFolder();
    const { runId, holds } = await folder.park('pay grace 40');
    const [hold] = holds;

    await using terminal = await open(folder, 'approve', hold?.id.slice(0, 8) ?? '');
    const prompt = await terminal.see('Approve pay?');
    expect(prompt).toContain(hold?.digest);
    await expect(kept(prompt)).toMatchFileSnapshot('screens/desk-approve.txt');
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    await expect(kept(await terminal.screen())).toMatchFileSnapshot('screens/desk-approved.txt');
    const desk = await folder.desk();
    await desk.work({ runId });
    expect(folder.done()).toEqual(['paid 40 to grace']);
  });

  it('reviews an edit and confirms it', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const edited = JSON.stringify({ to: 'grace', euros: 35 });

    await using terminal = await open(folder, 'edit', holds[0]?.id ?? '', edited);
    await expect(kept(await terminal.see('Approve pay with these arguments?'))).toMatchFileSnapshot(
      'screens/desk-edit.txt',
    );
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    const { decisions } = await (await folder.desk()).hold(holds[0]?.id ?? '');
    expect(decisions).toMatchObject([{ decision: { kind: 'approve', args: { euros: 35 } } }]);
  });

  it('responds in a form to a question of another process, with an invalid value first', async () => {
    await using folder = new CashierFolder();
    const agent = new Agent({
      model: scriptedModel(calls('reserve', {}), says('Reserved.')),
      tools: [
        tool({
          name: 'reserve',
          execute(_args, { input }) {
            if (input === undefined)
              throw new InputRequired({ message: 'Which table?', schema: TABLE });
            return JSON.stringify(input);
          },
        }),
      ],
    });
    const desk = openDesk({ store: await folder.store(), agents: { waiter: { agent } } });
    const runId = await desk.start('waiter', 'Reserve a table.');
    await desk.work({ runId });
    const [hold] = (await desk.holds({ runId })).items;

    await using terminal = await open(folder, 'respond', hold?.id ?? '');
    expect(await terminal.see('Decline with a reason')).toContain('Which table?');
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

    expect(await terminal.ended()).toEqual({ exitCode: 0, isRestored: true });
    expect(await terminal.screen()).toContain('The response was recorded by grace.');
    const { decisions } = await desk.hold(hold?.id ?? '');
    const value = { guests: 2, area: 'outside' };
    expect(decisions).toMatchObject([{ decision: { kind: 'input', value } }]);
    expect(await desk.work({ runId })).toMatchObject({ state: 'finished' });
  });

  it('denies a call with a reason, which the model receives', async () => {
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
      output: 'Results: Not in March.',
    });
    expect(folder.done()).toEqual([]);
  });

  it.each([
    ['chooses no', ['Down', 'Enter'], 1],
    ['presses Escape', ['Escape'], 1],
    ['presses Ctrl-C', ['C-c'], 130],
  ])('decides nothing if the approver %s', async (_, keys, exitCode) => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const [hold] = holds;

    await using terminal = await open(folder, 'approve', hold?.id ?? '');
    await terminal.see('Approve pay?');
    await terminal.press(...keys);

    expect(await terminal.ended()).toEqual({ exitCode, isRestored: true });
    expect(await terminal.screen()).toContain('Nothing was decided.');
    const desk = await folder.desk();
    expect(await desk.hold(hold?.id ?? '')).toMatchObject({ state: 'open', decisions: [] });
  });

  it('sees a warning, and Enter does not approve', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay \u001b[31mada\u202e 41');

    await using terminal = await open(folder, 'approve', holds[0]?.id ?? '');
    await expect(kept(await terminal.see('Approve pay?'))).toMatchFileSnapshot(
      'screens/desk-warned.txt',
    );
    await terminal.press('Enter');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    expect(await terminal.screen()).toContain('Nothing was decided.');
  });

  it('sees at once that another approver has decided', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const [hold] = holds;
    const desk = await folder.desk();
    const by = { id: 'ada' };
    await desk.decide(hold?.id ?? '', { kind: 'deny' }, { by, digest: hold?.digest ?? '' });

    await using terminal = await open(folder, 'approve', hold?.id ?? '');

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    await expect(kept(await terminal.screen())).toMatchFileSnapshot('screens/desk-settled.txt');
  });

  it('sees the prompt close when another approver decides', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40');
    const [hold] = holds;
    await using terminal = await open(folder, 'approve', hold?.id ?? '');
    await terminal.see('Approve pay?');

    const desk = await folder.desk();
    const by = { id: 'ada', name: 'Ada' };
    await desk.decide(hold?.id ?? '', { kind: 'deny' }, { by, digest: hold?.digest ?? '' });

    expect(await terminal.ended()).toEqual({ exitCode: 1, isRestored: true });
    expect(await terminal.screen()).toMatch(
      /Ada \(ada\) decided first: deny\. Your decision was not sent\./,
    );
    expect((await desk.hold(hold?.id ?? '')).decisions).toHaveLength(1);
  });
});
