import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRow, Desk, DeskRequest } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { Child } from './support/child.ts';
import { openOutsideDesk, OWNER } from './support/crash/executor-setup.ts';
import { openStore } from './support/crash/store-spec.ts';
import { ProcessFixture, SHARED_STORES } from './support/process-fixture.ts';

const REQUESTS = SOAK_TIMES > 1 ? 60 * SOAK_TIMES : 16;
const EXECUTORS = 3;
const LEASE_MS = 400;
const FROZEN_MS = 700;
const SEED = Number(process.env['RANDOM_SEED'] ?? 20_261_118);
const DEADLINE_MS = 60_000 + REQUESTS * 500;

let fixture: ProcessFixture;

beforeAll(async () => {
  fixture = await ProcessFixture.open('requests');
});
afterAll(() => fixture[Symbol.asyncDispose]());

interface JournalLine {
  readonly kind: 'effect' | 'settled' | 'lost';
  readonly id: string;
  readonly fence: number;
}

function readJournal(path: string): readonly JournalLine[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [kind, id = '', fence] = line.split(' ');
    // `executor.ts` writes these kinds.
    return { kind: kind as JournalLine['kind'], id, fence: Number(fence) };
  });
}

/** Decides the open holds: a call in doubt executes again only if the journal has no effect of it. */
async function decideAll(desk: Desk, journal: string): Promise<void> {
  const { items } = await desk.holds({ limit: 500 });
  const lines = readJournal(journal);
  for (const { id, runId, digest, inDoubt } of items) {
    const effect = lines.findLast((line) => line.kind === 'effect' && line.id === runId);
    const isKnown = inDoubt !== undefined && effect !== undefined;
    const decision = isKnown
      ? ({ kind: 'result', value: effect.fence } as const)
      : ({ kind: 'approve' } as const);
    await desk.decide(id, decision, { by: { id: 'grace' }, digest });
  }
}

/** Returns what is wrong with a request that has ended. */
function problemsOf(
  request: DeskRequest,
  audit: readonly AuditRow[],
  journal: readonly JournalLine[],
): readonly string[] {
  const { id, state, outcome } = request;
  const own = journal.filter((line) => line.id === id);
  const fences = own.filter(({ kind }) => kind === 'effect').map(({ fence }) => fence);
  const count = (kind: AuditRow['kind']) => audit.filter((row) => row.kind === kind).length;
  const approvals = audit.filter(
    ({ kind, data }) => kind === 'hold-decided' && data['kind'] === 'approve',
  ).length;
  const settled = own.filter(({ kind }) => kind === 'settled');
  const problems: string[] = [];
  if (state !== 'settled' || outcome?.kind !== 'value') problems.push(`${id} is ${state}`);
  if (new Set(fences).size < fences.length) problems.push(`a claim of ${id} had two effects`);
  if (count('call-started') > approvals) problems.push(`${id} was claimed without an approval`);
  if (count('run-finished') !== 1) problems.push(`${id} ended ${count('run-finished')} times`);
  if (settled.length > 1) problems.push(`${id} was settled twice`);
  for (const { fence } of settled) {
    if (outcome?.kind !== 'value' || outcome.value !== fence) {
      problems.push(`the acknowledged outcome ${fence} of ${id} is lost`);
    }
  }
  return problems;
}

describe.each(SHARED_STORES)('executors that are killed and frozen, on %s', (name) => {
  it(`lose no outcome and repeat no claim in ${REQUESTS} requests`, {
    timeout: DEADLINE_MS * 1.5,
  }, async () => {
    const spec = await fixture.newStore(name);
    const journal = fixture.newEffects(name);
    await using store = await openStore(spec);
    const desk = openOutsideDesk(store);
    const requests: string[] = [];
    for (let index = 0; index < REQUESTS; index++) {
      const options = { by: OWNER, idempotencyKey: `request-${index}` };
      requests.push((await desk.request('pay', { index }, options)).id);
    }
    let seed = SEED;
    let restarts = 0;
    const start = () => {
      seed += 1;
      const setup = { store: spec, requests, journal, seed, lease: LEASE_MS };
      return new Child(fixture.programs, 'executor', setup, () => {});
    };
    const children = Array.from({ length: EXECUTORS }, start);
    const exited = new Set<Child>();
    const watch = (child: Child) => void child.exited.then(() => exited.add(child));
    for (const child of children) watch(child);
    const deadline = Date.now() + DEADLINE_MS;
    let open = requests;
    for (let round = 1; open.length > 0 && Date.now() < deadline; round++) {
      await decideAll(desk, journal);
      await desk.drain();
      for (const [index, child] of children.entries()) {
        if (round % Math.ceil(FROZEN_MS / 50) === 0) child.resume();
        if (!exited.has(child)) continue;
        expect(child.errorOutput).toBe('');
        restarts += 1;
        children[index] = start();
        watch(children[index]);
      }
      await sleep(50);
      const states = await Promise.all(open.map((id) => desk.requests.get(id)));
      open = states.filter(({ state }) => state !== 'settled').map(({ id }) => id);
    }
    for (const child of children) await child.kill();

    const lines = readJournal(journal);
    const problems: string[] = [];
    let doubts = 0;
    for (const id of requests) {
      const audit = await desk.audit(id);
      doubts += audit.filter(({ kind }) => kind === 'call-in-doubt').length;
      problems.push(...problemsOf(await desk.requests.get(id), audit, lines));
    }
    const lost = lines.filter(({ kind }) => kind === 'lost').length;
    console.log(`${name}, seed ${SEED}: ${doubts} doubts, ${restarts} restarts, ${lost} lost`);
    expect(problems).toEqual([]);
    // The test proves little unless executors die with a claim.
    expect(doubts).toBeGreaterThan(0);
    expect(restarts).toBeGreaterThan(0);
  });
});
