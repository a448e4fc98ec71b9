import { generateKeyPairSync } from 'node:crypto';
import { type HoldRow, signRunAudit } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { describe, expect, it } from 'vitest';
import { CashierFolder } from '../support/cashier-folder.ts';
import { holdpoint, RunningEvents, ServedDesk, until } from '../support/holdpoint.ts';

const FILE = 'packages/cli/test/platform/programs/cashier-desk.ts';

describe('a desk from the command line', () => {
  it('executes a run from start to end in several processes', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const at = served.environment;
    expect(served.printed).toContain(`Desk: ${at.HOLDPOINT_URL}`);
    expect(at.HOLDPOINT_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

    const started = await holdpoint(['start', 'cashier', 'pay grace 40, ask owner', '--json'], at);
    const { id: runId } = JSON.parse(started.stdout);
    await until(async () => (await served.client.run(runId)).state === 'parked');
    const listed = await holdpoint(['holds', '--json', '--run', runId], at);
    const { items } = JSON.parse(listed.stdout);
    expect(items).toMatchObject([{ toolName: 'pay' }, { toolName: 'ask_owner' }]);
    const [pay, ask] = items;

    const approved = await holdpoint(['approve', pay.id.slice(0, 6), '--yes'], at);
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' });
    expect(approved.stdout).toContain('Pay €40 to grace.');
    expect(approved.stdout).toContain(pay.digest);
    expect(approved.stdout).toMatch(/Approved by .*\. The run has 1 more open hold\./);
    expect(folder.done()).toEqual([]);

    const second = await holdpoint(['deny', pay.id, '--reason', 'Too late.', '--yes'], at);
    expect(second).toMatchObject({ exitCode: 1, stdout: '' });
    expect(second.stderr).toMatch(/^holdpoint: .*`approve`.* \(hold-settled\)\n$/);

    const recorded = await holdpoint(['result', ask.id, '{"ok":true}', '--yes', '--json'], at);
    expect(JSON.parse(recorded.stdout)).toMatchObject({ id: ask.id, outcome: 'decided' });
    await until(async () => (await served.client.run(runId)).state === 'finished');
    expect(folder.done()).toEqual(['paid 40 to grace']);

    const { stdout } = await holdpoint(['runs', 'show', runId.slice(0, 8)], at);
    expect(stdout).toMatch(/state +finished/);
    expect(stdout).toContain('Results: Paid €40 to grace.');
    const verified = await holdpoint(['audit', 'verify', runId], at);
    expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
    expect(verified.stdout).toMatch(/^Intact: \d+ entries of run/);
  });

  it('accepts an edit without a server, and requests its preview when the desk is served', async () => {
    await using folder = new CashierFolder();
    const { runId, holds } = await folder.park('pay grace 40');
    const [hold] = holds;
    const at = ['--store', folder.file];

    const edited = await holdpoint([
      'edit',
      hold?.id ?? '',
      '{"to":"ada","euros":5}',
      ...at,
      '--by',
      'grace',
      '--yes',
    ]);
    expect(edited).toMatchObject({ exitCode: 0, stderr: '' });
    expect(edited.stdout).toMatch(/by grace\. The run is ready and\s+resumes/);
    expect(folder.done()).toEqual([]);

    await using served = await ServedDesk.start(FILE, folder.environment);
    // The process without a server could not show the preview of the edited call, so it is requested again.
    await until(async () => (await served.client.holds()).items.length === 1);
    expect(folder.done()).toEqual([]);
    const [again] = (await served.client.holds()).items;
    expect(again).toMatchObject({ args: { to: 'ada', euros: 5 }, preview: 'Pay €5 to ada.' });
    await holdpoint(['approve', again?.id ?? '', '--yes'], served.environment);

    await until(async () => (await served.client.run(runId)).state === 'finished');
    expect(folder.done()).toEqual(['paid 5 to ada']);
    const { decisions } = await served.client.hold(hold?.id ?? '');
    expect(decisions).toMatchObject([{ by: { id: 'grace' }, decision: { kind: 'approve' } }]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops on %s, and another worker can resume the run at once',
    async (signal) => {
      await using folder = new CashierFolder();
      await using served = await ServedDesk.start(FILE, folder.environment);
      const { id: runId } = await served.client.start({ agent: 'clock', prompt: 'Go.' });
      await until(() => folder.done().length > 1);

      expect(await served.stop(signal)).toBe(0);

      expect(served.printed).toContain('Stopped. The next worker resumes unfinished runs.');
      const desk = await folder.desk();
      const ticks = folder.done().length;
      expect((await desk.run(runId)).state).toBe('ready');
      // The run was released, so the next worker does not wait for its lease to expire.
      const stopping = new AbortController();
      const working = desk.startWorker({ signal: stopping.signal });
      await until(() => folder.done().length > ticks);
      stopping.abort();
      await working;
    },
  );

  it('rejects callers without the token, and other machines without `authorize`', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const { HOLDPOINT_URL } = served.environment;

    const without = await holdpoint(['runs'], { HOLDPOINT_URL });
    expect(without).toMatchObject({ exitCode: 1, stdout: '' });
    expect(without.stderr).toContain('requires a token. Set `HOLDPOINT_TOKEN`');
    const wrong = await holdpoint(['runs'], { HOLDPOINT_URL, HOLDPOINT_TOKEN: 'guess' });
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toContain(
      'rejected the token. Check `HOLDPOINT_TOKEN` and `HOLDPOINT_KEY`',
    );

    const { port } = new URL(HOLDPOINT_URL);
    const taken = await holdpoint(['desk', FILE, '--port', port], folder.environment);
    expect(taken).toMatchObject({ exitCode: 1, stdout: '' });
    expect(taken.stderr).toContain('(EADDRINUSE). Pass another `--port`.');
    const open = await holdpoint(['desk', FILE, '--host', '0.0.0.0'], folder.environment);
    expect(open).toMatchObject({ exitCode: 1, stdout: '' });
    expect(open.stderr).toContain('Other machines can reach `0.0.0.0`');
  });

  it('uses the `authorize` and the redaction of the file', async () => {
    await using folder = new CashierFolder();
    await folder.park('pay grace 40');
    const file = 'packages/cli/test/platform/programs/guarded-desk.ts';
    await using served = await ServedDesk.start(file, folder.environment);
    const { HOLDPOINT_URL } = served.environment;
    const as = (token: string) => ({ HOLDPOINT_URL, HOLDPOINT_TOKEN: token });
    expect(served.printed).toContain('a token that the `authorize` of the');

    const { stdout } = await holdpoint(['holds', '--json'], as('token-of-ada'));
    expect(stdout).toContain('Pay €40 to [redacted].');
    expect(stdout).not.toContain('grace');
    const [hold] = JSON.parse(stdout).items;
    const own = await holdpoint(['approve', hold.id, '--yes'], as('token-of-ada'));
    expect(own.exitCode).toBe(1);
    expect(own.stdout).toContain('Parts of this call are hidden from you.');
    expect(own.stderr).toContain('(may-not-decide)');
    const others = await holdpoint(['approve', hold.id, '--yes'], as('token-of-grace'));
    expect(others.exitCode).toBe(0);
    expect(others.stdout).toContain('Approved by grace.');

    // The token determines the tenant, and so the tenant of the audit.
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
    expect(wrong.stdout).toContain('not an audit entry of tenant `default`');
  });

  it('filters holds, and records the reason of an approval', async () => {
    await using folder = new CashierFolder();
    const { holds } = await folder.park('pay grace 40, ask owner');
    const at = ['--store', folder.file];
    const list = async (...filter: readonly string[]) => {
      const { stdout } = await holdpoint(['holds', '--json', ...filter, ...at]);
      return JSON.parse(stdout).items.map(({ toolName }: HoldRow) => toolName);
    };

    expect(await list('--tool', 'pay')).toEqual(['pay']);
    expect(await list('--agent', 'cashier', '--requester', 'ada')).toEqual(['pay', 'ask_owner']);
    expect(await list('--agent', 'clock')).toEqual([]);
    expect(await list('--requester', 'grace')).toEqual([]);
    expect(await list('--older-than', '1h')).toEqual([]);
    expect(await list('--mine', '--state', 'open', 'decided')).toEqual(['pay', 'ask_owner']);

    const id = holds[0]?.id.slice(0, 8) ?? '';
    const reason = ['--reason', 'Invoice 17.'];
    const approved = await holdpoint(['approve', id, '--yes', ...reason, '--by', 'bob', ...at]);
    expect(approved.stdout).toMatch(/reason +Invoice 17\./);
    const shown = await holdpoint(['holds', 'show', id, ...at]);
    expect(shown.stdout).toMatch(/approve, by bob, \S+Z: Invoice 17\./);
  });

  it('names the command that a call needs', async () => {
    await using folder = new CashierFolder();
    const { runId, holds } = await folder.park('pay grace 40, ask owner');
    const [pay, ask] = holds;
    const at = ['--store', folder.file, '--yes'];

    const recorded = await holdpoint(['result', pay?.id ?? '', '5', ...at]);
    expect(recorded).toMatchObject({ exitCode: 1, stdout: '' });
    expect(recorded.stderr).toContain('needs a decision. Use `holdpoint approve`');
    const denied = await holdpoint(['deny', ask?.id ?? '', '--json', ...at]);
    expect(denied).toMatchObject({ exitCode: 1, stdout: '' });
    expect(denied.stderr).toContain('needs a result. Use `holdpoint result`');
    const unknown = await holdpoint(['approve', 'dead0000', ...at]);
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toContain('begins with `dead0000`. Run `holdpoint');
    const none = await holdpoint(['holds', '--search', 'mallory', '--store', folder.file]);
    expect(none).toEqual({ exitCode: 0, stdout: 'No holds match.\n', stderr: '' });
    expect(await (await folder.desk()).run(runId)).toMatchObject({ state: 'parked' });
  });

  it('starts, messages, cancels and retries runs, and lists grants and the audit', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const at = served.environment;
    const json = async (...args: readonly string[]) => {
      const { stdout, stderr, exitCode } = await holdpoint([...args, '--json'], at);
      return { exitCode, value: JSON.parse(stdout || stderr) };
    };
    const { value: me } = await json('whoami');
    expect(me).toMatchObject({ agents: ['cashier', 'clock'] });

    const started = await holdpoint(['runs', 'start', 'cashier', 'pay grace 40'], at);
    expect(started.stdout).toMatch(/^Started run \w{8} of cashier\. It is ready\./);
    await until(async () => (await served.client.holds()).items.length === 1);
    const { value: runs } = await json('runs', '--agent', 'cashier');
    const [run] = runs.items;
    const { value: blocked } = await json('message', run.conversationId, 'pay ada 1');
    expect(blocked).toMatchObject({ error: { message: expect.any(String) } });
    const sent = await json('message', run.conversationId, 'pay ada 1', '--supersede');
    expect(sent).toMatchObject({ exitCode: 0, value: { conversationId: run.conversationId } });
    await until(async () => {
      const [hold] = (await served.client.holds()).items;
      return hold?.toolName === 'pay' && JSON.stringify(hold.args).includes('ada');
    });
    const { value: open } = await json('holds', 'list', '--search', 'ada');
    expect((await json('holds', 'show', open.items[0].id)).value.hold.digest).toMatch(/^\w{64}$/);
    const cancelled = await holdpoint(['runs', 'cancel', open.items[0].runId.slice(0, 8)], at);
    expect(cancelled.stdout).toMatch(/^Cancelled run/);
    const retried = await json('runs', 'retry', run.id);
    expect(retried).toMatchObject({ exitCode: 1, value: { error: { code: expect.any(String) } } });
    const audit = await holdpoint(['audit', 'show', run.id, '--json'], at);
    const entries = audit.stdout.trim().split('\n');
    expect(entries.map((line) => JSON.parse(line).number)).toEqual(entries.map((_, i) => i + 1));
    expect((await holdpoint(['audit', 'show', run.id], at)).stdout).toContain('run-started');
    expect(await json('grants')).toEqual({ exitCode: 0, value: { items: [] } });
    expect(await json('grants', 'revoke', 'dead0000')).toMatchObject({ exitCode: 1 });
  });

  it('stores a login for later commands until the user logs out', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const { HOLDPOINT_URL, HOLDPOINT_TOKEN } = served.environment;
    const config = { XDG_CONFIG_HOME: folder.write('config', '').replace(/config$/, 'settings') };
    const login = (token: string) =>
      holdpoint(['login', '--url', HOLDPOINT_URL], config, `${token}\n`);

    const wrong = await login('guess');
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toContain('rejected the token');
    expect((await holdpoint(['runs'], config)).stderr).toContain('Missing address of the desk.');
    const right = await login(HOLDPOINT_TOKEN);
    expect(right.stdout).toContain(`Logged in to ${HOLDPOINT_URL} as `);
    expect(right.stdout).not.toContain(HOLDPOINT_TOKEN);
    expect(await holdpoint(['runs'], config)).toMatchObject({ stdout: 'No runs yet.\n' });
    const out = await holdpoint(['logout'], config);
    expect(out.stdout).toBe('Logged out. The stored token was deleted.\n');
    expect((await holdpoint(['logout'], config)).stdout).toBe('You are not logged in.\n');
  });

  it('executes no runs with `--no-worker`, and prints events as JSON lines', async () => {
    await using folder = new CashierFolder();
    const serve = (...args: readonly string[]) =>
      ServedDesk.start(FILE, folder.environment, ['--port', '0', ...args]);
    await using served = await serve('--no-worker');
    expect(served.printed).toContain('No worker:');
    const { id } = await served.client.start({ agent: 'cashier', prompt: 'pay grace 40' });
    await using events = RunningEvents.start(served.environment);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await served.client.run(id)).state).toBe('ready');

    await using worker = await serve('--concurrency', '1');
    await until(async () => (await served.client.run(id)).state === 'parked');
    await until(() => events.lines.some(({ kind }) => kind === 'hold-opened'));
    expect(events.lines.every(({ runId }) => runId === id)).toBe(true);
    expect(await events.stop()).toBe(130);
    expect(await worker.stop()).toBe(0);
    expect(await served.stop()).toBe(0);
  });

  it('prints errors of runs', async () => {
    await using folder = new CashierFolder();
    await using served = await ServedDesk.start(FILE, folder.environment);
    const { id } = await served.client.start({ agent: 'cashier', prompt: 'crash' });

    await until(() => served.printed.includes('The model crashed.'));

    expect(served.printed).toMatch(
      new RegExp(`"event":"[a-z-]+".*"runId":"${id}".*The model crashed`),
    );
  });

  it('is served by several processes, and each run has one worker', async () => {
    await using folder = new CashierFolder();
    await using one = await ServedDesk.start(FILE, folder.environment);
    await using other = await ServedDesk.start(FILE, folder.environment);
    const start = () => one.client.start({ agent: 'cashier', prompt: 'pay grace 40' });
    const runs = await Promise.all([start(), start(), start()]);
    await until(async () => (await other.client.holds()).items.length === 3);

    for (const { id, digest } of (await other.client.holds()).items) {
      await other.client.decide(id, { digest, decision: { kind: 'approve' } });
    }

    await until(async () => {
      const states = await Promise.all(runs.map(({ id }) => one.client.run(id)));
      return states.every(({ state }) => state === 'finished');
    });
    expect(folder.done()).toEqual(Array(3).fill('paid 40 to grace'));
  });

  it('detects edited audit entries, and deleted entries before a checkpoint', async () => {
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
