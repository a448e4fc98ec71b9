import { generateKeyPairSync } from 'node:crypto';
import { signRunAudit } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { CashierFolder } from '../support/cashier-folder.ts';
import { holdpoint, ServedDesk, until } from '../support/holdpoint.ts';

const FILE = 'packages/cli/test/platform/programs/cashier-desk.ts';

describe('a desk from the command line', () => {
  it('takes a run from its start to its end, in processes of their own', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const at = served.environment;
    expect(served.printed).toContain(`The desk is open at ${at.HOLDPOINT_URL}`);
    expect(at.HOLDPOINT_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

    const { id: runId } = await served.client.start({
      agent: 'cashier',
      prompt: 'pay grace 40, ask owner',
    });
    await until(async () => (await served.client.run(runId)).state === 'parked');
    const listed = await holdpoint(['holds', '--json', '--run', runId], at);
    const { items } = JSON.parse(listed.stdout);
    expect(items).toMatchObject([{ toolName: 'pay' }, { toolName: 'ask_owner' }]);
    const [pay, ask] = items;

    const approved = await holdpoint(['approve', pay.id.slice(0, 6), '--yes'], at);
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' });
    expect(approved.stdout).toContain('40 euros go to grace.');
    expect(approved.stdout).toContain(pay.digest);
    expect(approved.stdout).toMatch(
      /Approved, by .*\. Another call of the run must be\s+answered, too\./,
    );
    expect(folder.done()).toEqual([]);

    const second = await holdpoint(['deny', pay.id, '--reason', 'Too late.', '--yes'], at);
    expect(second).toMatchObject({ exitCode: 1, stdout: '' });
    expect(second.stderr).toMatch(
      /^holdpoint: .*answered before, by '.+' with 'approve'\..* \(hold-settled\)\n$/,
    );

    const answered = await holdpoint(
      ['answer', ask.id, '--result', '{"ok":true}', '--yes', '--json'],
      at,
    );
    expect(JSON.parse(answered.stdout)).toMatchObject({ id: ask.id, outcome: 'decided' });
    await until(async () => (await served.client.run(runId)).state === 'finished');
    expect(folder.done()).toEqual(['paid 40 to grace']);

    const { stdout } = await holdpoint(['runs', runId.slice(0, 8)], at);
    expect(stdout).toMatch(/state +finished/);
    expect(stdout).toContain('I was told: grace has 40 euros');
    const verified = await holdpoint(['audit', 'verify', runId], at);
    expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
    expect(verified.stdout).toMatch(/^Intact: \d+ entries of run/);
  });

  it('needs no server for an answer, and goes on with it when one is there again', async () => {
    await using folder = new CashierFolder();
    const { runId, holds } = await folder.park('pay grace 40');
    const [hold] = holds;
    const at = ['--store', folder.file];

    const edited = await holdpoint([
      'approve',
      hold?.id ?? '',
      ...at,
      '--by',
      'grace',
      '--args',
      '{"to":"ada","euros":5}',
      '--yes',
    ]);
    expect(edited).toMatchObject({ exitCode: 0, stderr: '' });
    expect(edited.stdout).toMatch(/by grace\. The run is ready: a worker goes on\s+with it\./);
    expect(folder.done()).toEqual([]);

    await using served = await ServedDesk.start(FILE, folder.environment);
    await until(async () => (await served.client.run(runId)).state === 'finished');
    expect(folder.done()).toEqual(['paid 5 to ada']);
    const { answers } = await served.client.hold(hold?.id ?? '');
    expect(answers).toMatchObject([{ by: { id: 'grace' }, answer: { kind: 'edit' } }]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops on %s, and a run that was under way can go on at once',
    async (signal) => {
      await using folder = new CashierFolder();
      await using served = await ServedDesk.start(FILE, folder.environment);
      const { id: runId } = await served.client.start({ agent: 'clock', prompt: 'Go.' });
      await until(() => folder.done().length > 1);

      expect(await served.stop(signal)).toBe(0);

      expect(served.printed).toContain('Stopped. What was not finished waits for the next worker.');
      const desk = await folder.desk();
      const ticks = folder.done().length;
      expect((await desk.run(runId)).state).toBe('ready');
      // It was given back: nobody has to wait for the end of a lease.
      const stopping = new AbortController();
      const working = desk.keepWorking({ signal: stopping.signal });
      await until(() => folder.done().length > ticks);
      stopping.abort();
      await working;
    },
  );

  it('lets nobody in without the token, and serves no others without being told who they are', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const { HOLDPOINT_URL } = served.environment;

    const without = await holdpoint(['runs'], { HOLDPOINT_URL });
    expect(without).toMatchObject({ exitCode: 1, stdout: '' });
    expect(without.stderr).toContain('wants to know who you are. Set HOLDPOINT_TOKEN.');
    const wrong = await holdpoint(['runs'], { HOLDPOINT_URL, HOLDPOINT_TOKEN: 'guess' });
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toContain('does not take the HOLDPOINT_TOKEN that is set.');

    const { port } = new URL(HOLDPOINT_URL);
    const taken = await holdpoint(['desk', FILE, '--port', port], folder.environment);
    expect(taken).toMatchObject({ exitCode: 1, stdout: '' });
    expect(taken.stderr).toContain('(EADDRINUSE). Give another --port.');
    const open = await holdpoint(['desk', FILE, '--host', '0.0.0.0'], folder.environment);
    expect(open).toMatchObject({ exitCode: 1, stdout: '' });
    expect(open.stderr).toContain('Others can reach 0.0.0.0');
  });

  it('goes by the rules of the file, where it has some', async () => {
    await using folder = new CashierFolder();
    await folder.park('pay grace 40');
    const file = 'packages/cli/test/platform/programs/guarded-desk.ts';
    await using served = await ServedDesk.start(file, folder.environment);
    const { HOLDPOINT_URL } = served.environment;
    const as = (token: string) => ({ HOLDPOINT_URL, HOLDPOINT_TOKEN: token });
    expect(served.printed).toContain('one that the authorize of the file takes');

    const { stdout } = await holdpoint(['holds', '--json'], as('token-of-ada'));
    expect(stdout).toContain('40 euros go to [redacted].');
    expect(stdout).not.toContain('grace');
    const [hold] = JSON.parse(stdout).items;
    const own = await holdpoint(['approve', hold.id, '--yes'], as('token-of-ada'));
    expect(own.exitCode).toBe(1);
    expect(own.stdout).toContain('Something of this call is not shown to you.');
    expect(own.stderr).toContain('(may-not-answer)');
    const others = await holdpoint(['approve', hold.id, '--yes'], as('token-of-grace'));
    expect(others.exitCode).toBe(0);
    expect(others.stdout).toContain('Approved, by grace.');

    // The token says whose runs they are, and so whose audit it is.
    const headers = { authorization: 'Bearer token-of-acme' };
    const { id } = await deskClient({ url: HOLDPOINT_URL, headers }).start({
      agent: 'cashier',
      prompt: 'ask owner',
    });
    const theirs = await holdpoint(['audit', 'verify', id], as('token-of-acme'));
    expect(theirs).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Intact/) });
    const claimed = ['audit', 'verify', id, '--tenant', 'default'];
    const wrong = await holdpoint(claimed, as('token-of-acme'));
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stdout).toContain("no entry of tenant 'default'");
  });

  it('says which command a call takes, and asks nobody about another one', async () => {
    await using folder = new CashierFolder();
    const { runId, holds } = await folder.park('pay grace 40, ask owner');
    const [pay, ask] = holds;
    const at = ['--store', folder.file, '--yes'];

    const answered = await holdpoint(['answer', pay?.id ?? '', '--result', '5', ...at]);
    expect(answered).toMatchObject({ exitCode: 1, stdout: '' });
    expect(answered.stderr).toContain('needs a decision. Use `holdpoint approve`');
    const denied = await holdpoint(['deny', ask?.id ?? '', '--json', ...at]);
    expect(denied).toMatchObject({ exitCode: 1, stdout: '' });
    expect(denied.stderr).toContain('needs a result. Use `holdpoint answer`.');
    const unknown = await holdpoint(['approve', 'dead0000', ...at]);
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toContain('begins with `dead0000`. Run `holdpoint');
    const none = await holdpoint(['holds', '--search', 'mallory', '--store', folder.file]);
    expect(none).toEqual({ exitCode: 0, stdout: 'There are no such holds.\n', stderr: '' });
    expect(await (await folder.desk()).run(runId)).toMatchObject({ state: 'parked' });
  });

  it('is served by several at once, and each run has one worker', async () => {
    await using folder = new CashierFolder();
    await using one = await ServedDesk.start(FILE, folder.environment);
    await using other = await ServedDesk.start(FILE, folder.environment);
    const start = () => one.client.start({ agent: 'cashier', prompt: 'pay grace 40' });
    const runs = await Promise.all([start(), start(), start()]);
    await until(async () => (await other.client.holds()).items.length === 3);

    for (const { id, digest } of (await other.client.holds()).items) {
      await other.client.answer(id, { digest, answer: { kind: 'approve' } });
    }

    await until(async () => {
      const states = await Promise.all(runs.map(({ id }) => one.client.run(id)));
      return states.every(({ state }) => state === 'finished');
    });
    expect(folder.done()).toEqual(Array(3).fill('paid 40 to grace'));
  });

  it('finds what was changed in an audit, and what was cut off after a checkpoint', async () => {
    await using folder = new CashierFolder();
    const { runId } = await folder.park('pay grace 40');
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = { id: 'march', privateKey };
    const signed = await signRunAudit(await folder.store(), { tenant: 'default', runId, key });
    const checkpoint = folder.write('checkpoint.json', JSON.stringify(signed));
    const pem = folder.write(
      'march.pem',
      String(publicKey.export({ type: 'spki', format: 'pem' })),
    );
    const verify = async (...more: readonly string[]) => {
      const at = ['--store', folder.file, '--json', ...more];
      const { stdout, exitCode } = await holdpoint(['audit', 'verify', runId.slice(0, 8), ...at]);
      return { ...JSON.parse(stdout), exitCode };
    };
    const withCheckpoint = ['--checkpoint', checkpoint, '--key', `march=${pem}`];

    expect(await verify()).toMatchObject({ status: 'intact', entries: 4, signedEntries: 0 });
    expect(await verify(...withCheckpoint)).toMatchObject({
      exitCode: 0,
      status: 'intact',
      signedEntries: 4,
      blindSpots: expect.not.arrayContaining([expect.stringMatching(/^4 of 4/)]),
    });

    folder.tamper('delete from desk_audit where number = 4');
    expect(await verify()).toMatchObject({ exitCode: 0, status: 'intact', entries: 3 });
    expect(await verify(...withCheckpoint)).toMatchObject({
      exitCode: 1,
      status: 'damaged',
      problems: [{ kind: 'missing', number: 4 }],
    });

    folder.tamper(`update desk_audit set "by" = '{"id":"mallory"}' where number = 1`);
    expect(await verify()).toMatchObject({
      exitCode: 1,
      status: 'damaged',
      problems: [{ kind: 'edited', number: 1 }],
    });
    folder.tamper('delete from desk_audit');
    expect(await verify()).toMatchObject({ exitCode: 1, problems: [{ kind: 'missing' }] });
  });
});
