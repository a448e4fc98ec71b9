import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Desk,
  DeskError,
  type Decision,
  type HoldRow,
  HoldSettledError,
  openDesk,
  type Store,
} from '@holdpoint/desk';
import { seededRandom } from 'holdpoint/testing';
import { FaultInjector, exitWithTest, send, sendReady } from './fault-injector.ts';
import { type Effect, readEffects } from './journal.ts';
import { CLERKS, type Setup } from './messages.ts';
import { openStore } from './store-spec.ts';
import { promptOf, tellerAgent } from './teller.ts';
import { faultInjectingStore } from './fault-injecting-store.ts';

/** The numbers of ready runs and open holds above which the clerk starts no runs. */
const MAX_READY = 10;
const MAX_OPEN = 30;
const BATCH = 5;

class Clerk {
  /** Aborts when the clerk must start no more runs. */
  readonly #stopStarting: AbortSignal;
  readonly #setup: Setup;
  readonly desk: Desk;
  readonly #random: () => number;
  #next: number;
  #isStopReported = false;

  constructor(stopStarting: AbortSignal, setup: Setup, store: Store, faults: FaultInjector) {
    this.#stopStarting = stopStarting;
    this.#setup = setup;
    this.#next = setup.next;
    this.#random = seededRandom(setup.seed);
    const agent = tellerAgent(setup.effects, faults);
    this.desk = openDesk({ store, agents: { teller: { agent } } });
  }

  async work(): Promise<void> {
    for (;;) {
      try {
        const done = (await this.#startSome()) + (await this.#decideSome());
        if (done === 0) await sleep(50);
      } catch (error) {
        if (!(error instanceof DeskError)) console.error(error);
        await sleep(50);
      }
    }
  }

  async #startSome(): Promise<number> {
    if (this.#hasStopped()) return 0;
    const ready = await this.desk.runs({ states: ['ready'], limit: MAX_READY });
    const open = await this.desk.holds({ limit: MAX_OPEN });
    if (ready.items.length === MAX_READY || open.items.length === MAX_OPEN) return 0;
    for (let count = 0; count < BATCH && !this.#stopStarting.aborted; count++) {
      const index = this.#next;
      // A start that was not acknowledged is repeated. The idempotency key makes it the same run.
      const id = `${this.#setup.name}${index}`;
      const runId = await this.desk.start('teller', promptOf(id), { idempotencyKey: id });
      this.#next = index + 1;
      send({ kind: 'started', index, runId });
    }
    return BATCH;
  }

  /** Reports once that no start is in progress and none will follow. */
  #hasStopped(): boolean {
    if (!this.#stopStarting.aborted) return false;
    if (!this.#isStopReported) send({ kind: 'stopped-starting' });
    this.#isStopReported = true;
    return true;
  }

  async #decideSome(): Promise<number> {
    const { items } = await this.desk.holds({ limit: MAX_OPEN });
    // Each hold has one clerk who usually decides it, so that few decisions are rejected.
    const chosen = items.filter(({ id }) => this.#isMine(id) || this.#random() < 0.1);
    const effects = chosen.some((hold) => hold.inDoubt) ? readEffects(this.#setup.effects) : [];
    for (const hold of chosen) {
      // Sometimes two people decide the same hold at the same time.
      const people = this.#random() < 0.1 ? ['ada', 'grace'] : ['ada'];
      await Promise.all(people.map((person) => this.#decide(hold, person, effects)));
    }
    return chosen.length;
  }

  #isMine(holdId: string): boolean {
    return CLERKS[Number.parseInt(holdId.slice(0, 6), 16) % CLERKS.length] === this.#setup.name;
  }

  async #decide(hold: HoldRow, person: string, effects: readonly Effect[]): Promise<void> {
    const { id: holdId, digest } = hold;
    const decision = decisionOn(hold, effects, this.#random);
    const by = `${person} at ${this.#setup.name}`;
    const at = Date.now();
    try {
      await this.desk.decide(holdId, decision, { by: { id: by }, digest });
      send({ kind: 'decided', holdId, digest, by, decision, at });
    } catch (error) {
      if (!(error instanceof HoldSettledError)) throw error;
      send({ kind: 'rejected', holdId, by: error.decision?.by.id, at });
    }
  }
}

/** Chooses a decision. For a call in doubt it depends on the recorded effects. */
function decisionOn(hold: HoldRow, effects: readonly Effect[], random: () => number): Decision {
  // The arguments are those of the agent above.
  const { to } = hold.args as { to: string };
  if (hold.inDoubt) {
    const hasRun = effects.some((one) => one.to === to && one.name === hold.toolName);
    return hasRun ? { kind: 'result', value: 'It has run.' } : { kind: 'approve' };
  }
  if (hold.kind === 'external') return { kind: 'result', value: `found ${to}: ${random()}` };
  return random() < 0.3 ? { kind: 'deny', reason: 'No.' } : { kind: 'approve' };
}

/** Starts runs and decides holds until the process is killed. `prepare` receives its desk. */
export async function runClerk(
  setup: Setup,
  prepare: (desk: Desk) => void = () => {},
): Promise<void> {
  const stopStarting = new AbortController();
  if (!setup.startsRuns) stopStarting.abort();
  // After any input, the clerk starts no more runs. It may arrive before the store is open.
  process.stdin.once('data', () => stopStarting.abort());
  exitWithTest();
  const faults = new FaultInjector(setup.fault);
  const store = faultInjectingStore(await openStore(setup.store), faults);
  const clerk = new Clerk(stopStarting.signal, setup, store, faults);
  prepare(clerk.desk);
  sendReady();
  await clerk.work();
}
