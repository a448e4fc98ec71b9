import { type Ledger, MemoryLedger } from 'holdpoint';
import { vi } from 'vitest';
import { present } from '../../../support/present.ts';
import type { Case } from './cases.ts';
import { brokenPromises } from './promises.ts';
import { reachedIn } from './reached.ts';
import { LEASE } from './stage.ts';
import { beginCase, type ResumePlan, World } from './world.ts';

/** What came of a case. */
export interface Played {
  /** The promises that were not kept. */
  readonly broken: readonly string[];
  /** What it was good for. */
  readonly reached: ReadonlySet<string>;
}

/** How a ledger is made for a case; it may wait for its turn with `pause`. */
export type MakeLedger = (pause: () => Promise<void>) => Ledger;

/** Plays a case to its end. */
export async function play(
  one: Case,
  ledger: MakeLedger = () => new MemoryLedger(),
): Promise<Played> {
  const world = await park(one, ledger);
  if (world.stored.length === 0) return conclude(world);
  world.stage.threaten(one.mishaps);
  for (const wave of one.waves) {
    for (const plan of wave) world.resume({ ...plan, place: plan.place % one.places });
    await world.stage.play();
    vi.advanceTimersByTime(2 * LEASE);
  }
  world.stage.threaten([]);
  if (one.comeBack === 'before') await comeBack(world);
  const problems = await takeUp(world, one.afterwards);
  await comeBack(world);
  return conclude(world, problems);
}

/** A world with a run that is parked, if it has anything to wait for. */
export async function park(
  { work, places, order }: Pick<Case, 'work' | 'places' | 'order'>,
  ledger: MakeLedger = () => new MemoryLedger(),
): Promise<World> {
  beginCase();
  const world: World = new World({
    work,
    // In the last one, nothing happens to those who take up what is left over.
    places: places + 1,
    ledger: ledger(() => world.stage.wait(present(world.runs[0]), 'inside of the ledger')),
    order,
  });
  world.begin(0);
  await world.stage.play();
  return world;
}

/** Whoever stood still, or took very long, goes on. */
export async function comeBack({ stage }: World): Promise<void> {
  stage.thaw();
  stage.isLate = true;
  await stage.play();
}

/** How often somebody may have to take up what is left over until all of it is done. */
const MOST_ROUNDS = 24;

/** Whatever has happened, somebody can take up the parked run and bring it to an end. */
export async function takeUp(world: World, plans: readonly ResumePlan[]): Promise<string[]> {
  const { stage, stored } = world;
  stage.isLate = true;
  let from = stored.findIndex(({ isParked }) => isParked);
  if (from < 0) return [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const plan = present(plans[round % plans.length]);
    const run = world.resume({
      ...plan,
      place: stage.places.length - 1,
      from,
      stale: false,
      answers: { ...plan.answers, spoiled: undefined },
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

/** Looks back at what has happened. */
export async function conclude(world: World, problems: readonly string[] = []): Promise<Played> {
  const broken = [...problems, ...(await brokenPromises(world))];
  return { broken, reached: reachedIn(world) };
}
