// A process that starts runs and answers holds until it is killed: node clerk.cjs <setup as JSON>
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Desk,
  DeskError,
  type HoldAnswer,
  type HoldRow,
  HoldSettledError,
  openDesk,
  type Store,
} from '@holdpoint/desk';
import { seededRandom } from 'holdpoint/testing';
import { Doom, endWithTest, say, sayReady } from '../support/crash/doom.ts';
import { type Effect, readEffects } from '../support/crash/journal.ts';
import { CLERKS, type Setup } from '../support/crash/messages.ts';
import { openStore } from '../support/crash/store-spec.ts';
import { promptOf, tellerAgent } from '../support/crash/teller.ts';
import { watchedStore } from '../support/crash/watched-store.ts';

/** How many runs may wait for a worker, and how many holds for a clerk, before no more runs are started. */
const MOST_READY = 10;
const MOST_OPEN = 30;
const BATCH = 5;

/** What a clerk has been told. */
interface Told {
  isEnough: boolean;
}

class Clerk {
  readonly #told: Told;
  readonly #setup: Setup;
  readonly #desk: Desk;
  readonly #random: () => number;
  #next: number;

  constructor(told: Told, setup: Setup, store: Store, doom: Doom) {
    this.#told = told;
    this.#setup = setup;
    this.#next = setup.next;
    this.#random = seededRandom(setup.seed);
    const agent = tellerAgent(setup.effects, doom);
    this.#desk = openDesk({ store, agents: { teller: { agent } } });
  }

  async work(): Promise<void> {
    for (;;) {
      try {
        const done = (await this.#startSome()) + (await this.#answerSome());
        if (done === 0) await sleep(50);
      } catch (error) {
        if (!(error instanceof DeskError)) console.error(error);
        await sleep(50);
      }
    }
  }

  async #startSome(): Promise<number> {
    if (this.#told.isEnough) return 0;
    const ready = await this.#desk.runs({ states: ['ready'], limit: MOST_READY });
    const open = await this.#desk.holds({ limit: MOST_OPEN });
    if (ready.items.length === MOST_READY || open.items.length === MOST_OPEN) return 0;
    for (let count = 0; count < BATCH; count++) {
      const index = this.#next;
      // The number is used again if nobody has heard of the run: the key makes it the same run.
      const id = `${this.#setup.name}${index}`;
      const runId = await this.#desk.start('teller', promptOf(id), { idempotencyKey: id });
      this.#next = index + 1;
      say({ kind: 'started', index, runId });
    }
    return BATCH;
  }

  async #answerSome(): Promise<number> {
    const { items } = await this.#desk.holds({ limit: MOST_OPEN });
    // Most have one clerk who sees to them, so that clerks do not spend their time on being late.
    const chosen = items.filter(({ id }) => this.#isMine(id) || this.#random() < 0.1);
    const effects = chosen.some((hold) => hold.inDoubt) ? readEffects(this.#setup.effects) : [];
    for (const hold of chosen) {
      // Now and then two people have the same moment and different opinions.
      const people = this.#random() < 0.1 ? ['ada', 'grace'] : ['ada'];
      await Promise.all(people.map((person) => this.#answer(hold, person, effects)));
    }
    return chosen.length;
  }

  #isMine(holdId: string): boolean {
    return CLERKS[Number.parseInt(holdId.slice(0, 6), 16) % CLERKS.length] === this.#setup.name;
  }

  async #answer(hold: HoldRow, person: string, effects: readonly Effect[]): Promise<void> {
    const { id: holdId, digest } = hold;
    const answer = answerTo(hold, effects, this.#random);
    const by = `${person} at ${this.#setup.name}`;
    const at = Date.now();
    try {
      await this.#desk.answer(holdId, answer, { by: { id: by }, digest });
      say({ kind: 'answered', holdId, digest, by, answer, at });
    } catch (error) {
      if (!(error instanceof HoldSettledError)) throw error;
      say({ kind: 'refused', holdId, by: error.answer?.by.id, at });
    }
  }
}

/** What a person says. Of what is in doubt they look at what was done. */
function answerTo(hold: HoldRow, effects: readonly Effect[], random: () => number): HoldAnswer {
  // The arguments are those of the agent above.
  const { to } = hold.args as { to: string };
  if (hold.inDoubt) {
    const hasRun = effects.some((one) => one.to === to && one.name === hold.toolName);
    return hasRun ? { kind: 'result', value: 'It has run.' } : { kind: 'approve' };
  }
  if (hold.kind === 'external') return { kind: 'result', value: `found ${to}: ${random()}` };
  return random() < 0.3 ? { kind: 'deny', message: 'No.' } : { kind: 'approve' };
}

async function main(setup: Setup): Promise<void> {
  const told = { isEnough: false };
  // All that is ever said to a clerk, perhaps before there is a store.
  process.stdin.once('data', () => {
    told.isEnough = true;
  });
  endWithTest();
  const doom = new Doom(setup.fate);
  const store = watchedStore(await openStore(setup.store), doom);
  sayReady();
  await new Clerk(told, setup, store, doom).work();
}

// The parameter is what the test has put there.
void main(JSON.parse(process.argv[2] ?? '') as Setup);
