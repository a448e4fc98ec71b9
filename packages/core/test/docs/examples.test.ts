import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repository, runNode } from '../support/run-program.ts';

const DEMO = ['packages/cli/src/bin.ts', 'demo'] as const;
// An example of several files is a folder; its `main` files are the programs.
const EXAMPLES = globSync(
  [
    'examples/*.ts',
    'examples/*/main*.ts',
    'examples/readme/*.ts',
    'examples/docs/*.ts',
    // The fourth step needs PostgreSQL: see platform/readme-outside.test.ts.
    'examples/tutorial/{1-agent,2-desk,3-channel,5-engine}/main.ts',
  ],
  { cwd: repository },
);

/** Executes a program with its scripted model in a separate process, and returns its output. */
function runExample(...program: readonly string[]): Promise<string> {
  return runNode(['--conditions=holdpoint-source', ...program], {
    cwd: repository,
    env: { HOLDPOINT_MODEL: '', FORCE_COLOR: '0' },
  });
}

describe('the examples', { timeout: 180_000 }, () => {
  it('exist', () => {
    expect(EXAMPLES).toContain('examples/tools.ts');
    expect(EXAMPLES).toContain('examples/approval-server/main-hono.ts');
    expect(EXAMPLES).toContain('examples/readme/first-agent.ts');
    expect(EXAMPLES).toContain('examples/tutorial/2-desk/main.ts');
    expect(EXAMPLES).toContain('examples/docs/getting-started.ts');
  });

  // Each asserts its own outcome.
  it.each(EXAMPLES)('execute without an error: %s', async (path) => {
    await runExample(path);
  });

  it('include a demo that exits and prints plain text without a terminal', async () => {
    // As `npm start` does.
    const printed = await runExample(...DEMO);

    expect(printed).not.toContain('\u001b');
    expect(printed).toMatch(/a scripted approver decides/);
    // Each desk command is a separate process, so another desk resumes the run.
    const desks = [...printed.matchAll(/The desk is open at \S+ \(process\s+(\d+)/g)];
    expect(new Set(desks.map(([, pid]) => pid)).size).toBe(2);
    const addresses = new Set(printed.match(/http:\/\/127\.0\.0\.1:\d+/g));
    expect([...addresses].map((one) => printed.includes(`inbox, ${one}/inbox.`))).toEqual([true]);
    expect(printed).toMatch(
      /\$ holdpoint holds\n.*\n\w{8} .* Refund €40 for order 17\n.*Transfer.*0 of 2 approvals\n.*needs a result\n.*expires in \d/,
    );
    expect(printed).toMatch(
      /\$ holdpoint approve \w{8} --yes[^]*Approved by Grace \(\w+\)\.[^]*✓ journal of the shop: Refunded €40/,
    );
    expect(printed).toMatch(/\$ holdpoint deny \w{8} --yes\nholdpoint: [^]*\(hold-settled\)/);
    expect(printed).toMatch(
      /Intact: \d+ entries[^]*Damaged: \d+ entries[^]*✓ the forgery is detected/,
    );
    expect(printed).toMatch(/↻ delete_file build\/march.log old {2}Give the reason in a/);
    expect(printed).toMatch(/✗ delete_file .* {2}Keep it until Friday/);
    expect(printed).toMatch(
      /The change log is ready. The old log is still there.\s+Reviewer: Grace/,
    );
    const [, here, there] = /This is process (\d+)\. Process (\d+) resumed/.exec(printed) ?? [];
    expect(there).not.toBe(here);
    expect(printed).toMatch(/✓ published: 1\.3\.0/);
    expect(printed).toMatch(
      /Without a ledger:[^]*✗ published twice[^]*already-resumed[^]*✓ published once/,
    );
    expect(printed).toMatch(
      /unknown call: rejected[^]*another run: rejected[^]*✓ published nothing/,
    );
    expect(printed).toMatch(/Next:\n {2}npm start -- desk\n {2}npx tsx \S+ examples\/tutorial/);
    expect(printed).toMatch(/history says\s+6\.6\.6:\s+rejected[^]*✓ published nothing/);
  });
});
