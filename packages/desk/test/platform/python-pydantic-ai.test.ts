import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decision, HoldRow } from '@holdpoint/desk';
import { pydanticResultsCodec } from 'holdpoint/pydantic';
import { describe, expect, it } from 'vitest';
import { PythonDesk } from './support/python-desk.ts';
import { pythonBlock, type PythonProgram, requirePython } from './support/python-program.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const REPOSITORY = join(import.meta.dirname, '../../../..');
/** Recorded runs of Pydantic AI, with documents as it writes them. */
const FIXTURES = join(REPOSITORY, 'packages/core/test/fixtures/interop/fixtures');
const SCHEMA = { type: 'object' };
const TOOLS = Object.fromEntries(
  ['rm', 'transfer', 'noargs', 'appr', 'pay'].map((name) => [
    name,
    { approvers: {}, schema: SCHEMA },
  ]),
);

/** An execution: the conversation, the tool, the arguments. */
type Execution = readonly [string, string, object];

/** The result of a call that has executed. The functions of the program return these values. */
function executed(args: object) {
  const value = { kind: 'tool-denied', args };
  return { kind: 'tool-return', return_value: value, content: null, metadata: null, tools: null };
}

function fixturePath(name: string): string {
  return join(FIXTURES, `${name}.json`);
}

describe('deferred_tool_results of the Python client, with documents of Pydantic AI', () => {
  requirePython();

  /** Starts the program for a recorded run, whose name is also the conversation. */
  function start(site: PythonDesk, name: string, env?: Record<string, string>): PythonProgram {
    return site.start('deferred.py', [fixturePath(name), name], env);
  }

  /** Returns what the program printed, after `holdpoint/pydantic` has accepted it. */
  async function resultsOf(program: PythonProgram): Promise<unknown> {
    const results = await program.result();
    pydanticResultsCodec.parse(JSON.stringify(results));
    return results;
  }

  async function decide(
    site: PythonDesk,
    isWanted: (args: Record<string, unknown>) => boolean,
    decision: Decision,
  ): Promise<HoldRow> {
    const hold = await site.hold(({ args }) => isWanted(Object(args)));
    await site.decide(hold, decision);
    return hold;
  }

  it('writes a denial as Pydantic AI does, and the result of a call that executed', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const recorded = JSON.parse(readFileSync(fixturePath('approval_denials'), 'utf8'));
    const program = start(site, 'approval_denials');
    const { message: reason } = recorded.results.approvals.c2;
    await decide(site, ({ path }) => path === '/0', { kind: 'deny' });
    await decide(site, ({ path }) => path === '/1', { kind: 'approve' });
    await decide(site, ({ path }) => path === '/2', { kind: 'deny', reason });
    await decide(site, ({ path }) => path === '/3', { kind: 'approve', args: { path: '/fails' } });

    const results = await resultsOf(program);

    expect(results).toEqual({
      calls: {
        c1: executed({ path: '/1' }),
        c3: { kind: 'tool-failed', message: 'OSError: Read-only file system.' },
      },
      approvals: {
        c0: { kind: 'tool-denied', message: 'An approver denied the call.' },
        c2: recorded.results.approvals.c2,
      },
      metadata: {},
    });
    const executions = site.journal<Execution>().map(([, , args]) => args);
    expect(executions).toEqual([{ path: '/1' }, { path: '/fails' }]);
    // Another process gets the same results, without executing anything.
    expect(await resultsOf(start(site, 'approval_denials'))).toEqual(results);
    expect(site.journal()).toHaveLength(2);
  });

  it('reads arguments in every form that Pydantic AI stores', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const shapes = start(site, 'args_shapes');
    for (let decided = 0; decided < 4; decided++)
      await decide(site, () => true, { kind: 'approve' });
    const none = executed({});
    expect(await resultsOf(shapes)).toMatchObject({
      calls: { n1: none, n2: none, n3: none, n4: none },
    });

    const text = start(site, 'approval_override_args');
    const args = { amount: 25, note: 'x' };
    const hold = await decide(site, ({ amount }) => amount === 1_000, { kind: 'approve', args });
    expect(hold.args).toEqual({ amount: 1_000, note: 'x' });
    expect(await resultsOf(text)).toMatchObject({ calls: { t1: executed(args) } });
  });

  it('requests approvals only, and shows the metadata of a call to policies', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const mixed = start(site, 'mixed_batch');
    await decide(site, () => true, { kind: 'approve' });
    const results = { calls: { a1: executed({ x: 1 }) }, approvals: {}, metadata: {} };
    expect(await resultsOf(mixed)).toEqual(results);

    const paying = start(site, 'approval_metadata');
    const { metadata } = await decide(site, () => true, { kind: 'deny' });
    expect(metadata).toEqual({ reason: 'amount over limit', limit: 100, tags: ['a', { b: null }] });
    await resultsOf(paying);
  });

  it('denies calls that expired or were cancelled', async () => {
    await using site = await PythonDesk.open({
      tools: TOOLS,
      expiresAfter: ({ args }) => (Object(args).amount === 500 ? 200 : undefined),
    });
    const message = 'No approver decided the call in time.';
    expect(await resultsOf(start(site, 'approval_metadata'))).toMatchObject({
      calls: {},
      approvals: { pay_1: { kind: 'tool-denied', message } },
    });

    const cancelled = start(site, 'approval_override_args');
    const { runId } = await site.hold(() => true);
    await site.desk.cancel(runId, { by: { id: 'root' } });
    expect(await resultsOf(cancelled)).toMatchObject({
      approvals: { t1: { kind: 'tool-denied', message: 'The request was cancelled.' } },
    });
    expect(site.journal()).toEqual([]);
  });

  it('returns the changes that an approver requests to the model', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const program = start(site, 'approval_override_args');
    const message = 'Which account?';
    await decide(site, () => true, { kind: 'retry', message });

    const results = await resultsOf(program);

    const t1 = { kind: 'model-retry', message };
    expect(results).toEqual({ calls: { t1 }, approvals: {}, metadata: {} });
    expect(site.journal()).toEqual([]);
  });

  it('executes once, although one process is killed before the decision and two others continue', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const first = start(site, 'approval_override_args');
    const hold = await site.hold(() => true);
    await first.kill();
    await site.decide(hold, { kind: 'approve' });

    const both = [1, 2].map(() => resultsOf(start(site, 'approval_override_args')));

    const args = { amount: 1_000, note: 'x' };
    const results = { calls: { t1: executed(args) }, approvals: {}, metadata: {} };
    expect(await Promise.all(both)).toEqual([results, results]);
    expect(site.journal()).toEqual([['approval_override_args', 'transfer', args]]);
  });

  it('does not repeat a call during which its process was killed', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const first = start(site, 'approval_override_args', { CRASH: 'during-call' });
    await decide(site, () => true, { kind: 'approve' });
    await first.killed();
    const second = start(site, 'approval_override_args');
    const doubted = await site.hold(({ inDoubt }) => inDoubt !== undefined);
    await site.decide(doubted, { kind: 'result', value: 'The bank confirms it.' });
    expect(await resultsOf(second)).toMatchObject({
      calls: { t1: { kind: 'tool-return', return_value: 'The bank confirms it.' } },
    });
    expect(site.journal()).toHaveLength(1);
  });

  it('requests nothing if a function is missing, and stops at its time limit', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const program = start(site, 'approval_override_args', { TOOLS: 'rm' });
    expect(await program.result()).toEqual({
      error: 'ValueError',
      message:
        'No function for the tool `transfer`, so nothing was requested. Pass it in `functions`.',
    });
    expect((await site.desk.holds()).items).toEqual([]);

    const impatient = start(site, 'approval_override_args', { TIMEOUT: '0.2' });
    expect(await impatient.result()).toMatchObject({ error: 'TimeoutError' });
    expect((await site.desk.holds()).items).toHaveLength(1);
  });

  it('requests nothing if the arguments of a call are no JSON object', async () => {
    await using site = await PythonDesk.open({ tools: TOOLS });
    const folder = scratchFolder('python-args');
    const path = join(folder, 'run.json');
    const { requests } = JSON.parse(readFileSync(fixturePath('approval_denials'), 'utf8'));
    requests.approvals[3].args = '{"path": ';
    writeFileSync(path, JSON.stringify({ requests }));

    const { message } = Object(await site.start('deferred.py', [path, 'malformed']).result());

    expect(message).toMatch(/^The arguments of the call `c3` are no JSON object/);
    expect((await site.desk.holds()).items).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('is documented with the code of the example', () => {
    const block = pythonBlock(join(REPOSITORY, 'examples/requests/pydantic_ai.py'), 'results');
    const page = readFileSync(join(REPOSITORY, 'docs/other-frameworks.md'), 'utf8');
    expect(page).toContain(block);
  });
});
