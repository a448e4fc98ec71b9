import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { main } from '../main.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-simulate-'));
const file = join(folder, 'desk.sqlite');
const HOUR = 3_600_000;
const START = Date.UTC(2027, 0, 31, 12);

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string() }),
  requiresApproval: true,
  execute: ({ to }) => `${to} was paid.`,
});
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.kind === 'user-prompt' ? calls('pay', { to: String(last.content) }) : says('Done.');
});
const agent = new Agent({ model, tools: [pay], output: [String, DeferredToolRequests] });

/** Settles a hold for `acme` at noon, and one for `bolt` an hour later. */
beforeAll(async () => {
  const clock = { now: START };
  const store = await sqliteStore({ path: file, now: () => clock.now });
  const desk = openDesk({ store, agents: { clerk: { agent } } });
  for (const [to, id, kind] of [
    ['acme', 'lin', 'approve'],
    ['bolt', 'mel\u001b[2J', 'deny'],
  ] as const) {
    const runId = await desk.start('clerk', to, { requester: { id: 'ada' } });
    await desk.work({ runId });
    const [hold] = (await desk.holds({ runId })).items;
    const by = { id: id.slice(0, 3), name: id };
    await desk.decide(hold!.id, { kind }, { by, roles: ['lead'], digest: hold!.digest });
    clock.now += HOUR;
  }
  await desk.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

let printed = '';
let problems = '';
beforeEach(() => {
  printed = '';
  problems = '';
  const write = (text: unknown) => {
    printed += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(console, 'log').mockImplementation((text) => void write(`${String(text)}\n`));
  vi.spyOn(console, 'error').mockImplementation((text) => {
    problems += String(text);
  });
});
afterEach(() => vi.restoreAllMocks());

function policyFile(name: string, source: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, source);
  return path;
}

const simulate = (path: string, ...options: readonly string[]) =>
  main(['policy', 'simulate', path, ...options]);

describe('holdpoint policy simulate', () => {
  it('prints what holds required, what the policy demands, and if the votes meet it', async () => {
    const path = policyFile(
      'strict',
      `export const approvers = { pay: { roles: ['lead'], people: ['zoe'], count: 2, notRequester: true,
        escalate: [{ afterMs: ${HOUR}, also: { roles: ['manager'] } }] } };`,
    );

    expect(await simulate(path, '--store', file)).toBe(0);

    const text = printed.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /pay 2027-01-31T12:00:00.000Z, agent clerk, decided: approve required every approver, 1 approval demands role lead or zoe, 2 approvals, not by the requester, after 1 h also manager votes not met, 1 of 1 count: lin /,
    );
    expect(text).toMatch(/13:00:00.000Z, agent clerk, decided: deny .* votes denied /);
    expect(text).toContain('2 holds: 2 with another requirement, 1 not met, 0 failed.');
  });

  it('prints one page of the chosen time as JSON', async () => {
    const path = policyFile('same', 'export const approvers = {};');

    expect(await simulate(path, '--store', file, '--json', '--limit', '1')).toBe(0);
    const first = JSON.parse(printed);
    expect(first.items).toMatchObject([{ status: 'met', isChanged: false, toolName: 'pay' }]);
    printed = '';
    await simulate(path, '--store', file, '--json', '--after', first.next);
    expect(JSON.parse(printed).items).toMatchObject([{ status: 'denied', decision: 'deny' }]);
    printed = '';
    await simulate(path, '--store', file, '--json', '--since', '2027-01-31T12:30Z');
    expect(JSON.parse(printed).items).toMatchObject([{ createdAt: START + HOUR }]);
    printed = '';
    await simulate(path, '--store', file, '--until', '2027-01-31T12:00Z');
    expect(printed).toBe('No settled holds match.\n');
  });

  it('reports a policy that fails for a hold, with exit code 1', async () => {
    const path = policyFile(
      'failing',
      `export const approvers = ({ args }) => { if (args.to === 'bolt') throw new Error('No \\u001b[2Jlimit'); return {} };`,
    );

    expect(await simulate(path, '--store', file)).toBe(1);

    expect(printed.replaceAll(/\s+/g, ' ')).toMatch(
      /failed: The policy `approvers` threw: No ⟨ESC⟩/,
    );
    expect(printed).toContain('2 holds: 0 with another requirement, 0 not met, 1 failed.');
    expect(printed).not.toContain('\u001b[2J');
  });

  it('opens the desk of a file, with its own rules for all calls', async () => {
    // The file is outside of the repository, where the package is not installed.
    const installed = JSON.stringify(import.meta.resolve('@holdpoint/desk'));
    const desk = policyFile(
      'desk',
      `import { sqliteStore } from ${installed};
       export default { store: await sqliteStore({ path: ${JSON.stringify(file)} }), agents: {}, notRequester: true };`,
    );
    const path = policyFile('open', 'export const approvers = {};');

    expect(await simulate(path, '--desk', desk, '--json')).toBe(0);

    const demanded = [{ count: 1, notRequester: true, grants: 'never' }];
    expect(JSON.parse(printed).items).toMatchObject([{ demanded }, { demanded }]);
  });

  it('rejects a file without a policy, an invalid policy, and a missing or second desk', async () => {
    const none = policyFile('none', 'export default {};');
    expect(await simulate(none, '--store', file)).toBe(1);
    expect(problems).toMatch(/exports no `approvers`/);

    const invalid = policyFile('invalid', 'export const approvers = { roles: [], count: 1 };');
    expect(await simulate(invalid, '--store', file)).toBe(1);
    expect(problems).toMatch(/`approvers` is not a valid rule/);

    const path = policyFile('fine', 'export const approvers = {};');
    expect(await simulate(path)).toBe(2);
    expect(await simulate(path, '--store', file, '--desk', none)).toBe(2);
    expect(await simulate(path, '--store', file, '--since', 'then')).toBe(2);
    expect(problems).toMatch(/Pass a time such as/);
  });
});
