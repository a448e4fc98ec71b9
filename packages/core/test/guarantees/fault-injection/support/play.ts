import { type Ledger, MemoryLedger } from 'holdpoint';
import { vi } from 'vitest';
import { present } from '../../../support/present.ts';
import type { Case } from './cases.ts';
import { brokenPromises } from './promises.ts';
import { reachedIn } from './reached.ts';
import { LEASE } from './stage.ts';
import { beginCase, type ResumePlan, World } from './world.ts';

/** The outcome of a case. */
export interface Played {
  /** Violated guarantees. */
  readonly broken: readonly string[];
  /** Situations that the case covered. */
  readonly reached: ReadonlySet<string>;
}

/** Creates the ledger of a case. The ledger may call `pause` to wait for its turn. */
export type MakeLedger = (pause: () => Promise<void>) => Ledger;

/** Executes a case. */
export async function play(
  one: Case,
  ledger: MakeLedger = () => new MemoryLedger(),
): Promise<Played> {
  const world = await park(one, ledger);
  if (world.stored.length === 0) return finishCase(world);
  world.stage.threaten(one.mishaps);
  for (const wave of one.waves) {
    for (const plan of wave) world.resume({ ...plan, process: plan.process % one.places });
    await world.stage.play();
    vi.advanceTimersByTime(2 * LEASE);
  }
  world.stage.threaten([]);
  if (one.comeBack === 'before') await comeBack(world);
  const problems = await takeUp(world, one.afterwards);
  await comeBack(world);
  return finishCase(world, problems);
}

/** Creates a world whose first run parks if it has pending calls. */
export async function park(
  { work, places, order }: Pick<Case, 'work' | 'places' | 'order'>,
  ledger: MakeLedger = () => new MemoryLedger(),
): Promise<World> {
  beginCase();
  const world: World = new World({
    work,
    // The last process has no faults; it finishes the parked runs.
    places: places + 1,
    ledger: ledger(() => world.stage.wait(present(world.runs[0]), 'inside of the ledger')),
    order,
  });
  world.begin(0);
  await world.stage.play();
  return world;
}

/** Continues frozen and hanging processes. */
export async function comeBack({ stage }: World): Promise<void> {
  stage.thaw();
  stage.isLate = true;
  await stage.play();
}

/** Maximum number of resumes until a parked run is finished. */
const MAX_ROUNDS = 24;

/** Checks that the parked run can be resumed until it finishes. */
export async function takeUp(world: World, plans: readonly ResumePlan[]): Promise<string[]> {
  const { stage, stored } = world;
  stage.isLate = true;
  let from = stored.findIndex(({ isParked }) => isParked);
  if (from < 0) return [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const plan = present(plans[round % plans.length]);
    const run = world.resume({
      ...plan,
      process: stage.processes.length - 1,
      from,
      stale: false,
      decisions: { ...plan.decisions, spoiled: undefined },
      onAlreadyResumed: 'replay',
      onBusy: 'wait',
    });
    await stage.play();
    if (run.status === 'finished') return [];
    from = run.left ?? from;
  }
  const { status, error } = present(world.runs.at(-1));
  return [`what was left over is not done: ${status} ${String(error ?? '')}`];
}

/** Checks all guarantees and collects the covered situations. */
export async function finishCase(world: World, problems: readonly string[] = []): Promise<Played> {
  const broken = [...problems, ...(await brokenPromises(world))];
  return { broken, reached: reachedIn(world) };
}
