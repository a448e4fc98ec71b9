import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeDesk, credentials, desk, waitingPrograms } from './desk.ts';

/** A program that continues its conversation after a crash of its process. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** Returns the program of a module of this folder. */
export function nodeProgram(name: string): Program {
  const path = join(import.meta.dirname, name);
  return { command: process.execPath, args: [...process.execArgv, path] };
}

/**
 * Kills a program between its request and the decision. Then starts two processes of it, which
 * receive the decision at the same time, and a third one after they have ended. The call must
 * execute once, with the edit of the approver.
 *
 * The program receives the path of a file for its conversation. Returns the outputs of the three
 * processes.
 */
export async function killAndResume(
  program: Program,
  third: Program = program,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-requests-'));
  const journal = join(folder, 'journal');
  const start = ({ command, args }: Program) =>
    spawn(command, [...args, join(folder, 'conversation.json')], {
      env: { ...process.env, ...credentials, JOURNAL: journal },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  try {
    const first = start(program);
    await waitFor(1);
    first.kill('SIGKILL');
    await once(first, 'exit');
    await waitFor(0);

    const both = [start(program), start(program)].map(printedBy);
    await waitFor(2);
    assert.equal(existsSync(journal), false);
    await approve({ order: '17', euros: 15 });
    const printed = [...(await Promise.all(both)), await printedBy(start(third))];
    const paid = readFileSync(journal, 'utf8').trim().split('\n');
    assert.deepEqual(paid, [JSON.stringify({ order: '17', euros: 15 })]);
    return printed;
  } finally {
    await closeDesk();
    rmSync(folder, { recursive: true });
  }
}

/** Waits until this many programs wait for the decision. */
async function waitFor(count: number): Promise<void> {
  for (let attempts = 0; waitingPrograms() !== count; attempts++) {
    assert.ok(
      attempts < 1_200,
      `${waitingPrograms()} programs wait for the decision, not ${count}.`,
    );
    await sleep(50);
  }
}

/** Approves the call with other arguments. Separation of duties: the author of an edit does not approve it. */
async function approve(args: { order: string; euros: number }): Promise<void> {
  const roles = ['cashier'];
  const [hold] = (await desk.holds()).items;
  assert.ok(hold);
  const { id, digest } = hold;
  const { shown } = await desk.previewEdit(id, args);
  const grace = { by: { id: 'grace' }, roles };
  await desk.decide(id, { kind: 'approve', args }, { ...grace, digest, shown });
  const edited = await desk.hold(id);
  const linus = { by: { id: 'linus' }, roles };
  await desk.decide(id, { kind: 'approve' }, { ...linus, digest: edited.digest });
}

/** Returns the output of a program. */
async function printedBy(program: ChildProcess): Promise<string> {
  let printed = '';
  program.stdout?.on('data', (text) => {
    printed += String(text);
  });
  const [code] = await once(program, 'close');
  assert.equal(code, 0);
  return printed.trim();
}
