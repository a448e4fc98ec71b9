import { setTimeout as sleep } from 'node:timers/promises';
import type { Desk } from '@holdpoint/desk';
import { seededRandom } from 'holdpoint/testing';
import type { Fate } from './crash/fate.ts';
import { readEffects } from './crash/journal.ts';
import { type About, type Acknowledged, CLERKS, type Said } from './crash/messages.ts';
import type { StoreSpec } from './crash/store-spec.ts';
import { Child } from './child.ts';
import { type Fates, fatesOfClerks, fatesOfWorkers } from './fates.ts';
import type { Programs } from './programs.ts';

/** How long the lease of workers is: shorter than that a busy machine would lose it all the time. */
const LEASE_MS = { least: 800, most: 2_000 };
/** How many times as long as a process needs to begin. */
const LEASE_FACTOR = 6;
/** For how long clerks stand still. */
const CLERK_STANDS_MS = 300;
/** How long others may take to do what a worker stands still before. */
const CATCH_UP_MS = 30_000;
const WORKERS = 4;
/** How many answers there are between two disturbances. */
const DISTURB_EVERY = 40;

export interface StormOptions {
  readonly programs: Programs;
  readonly store: StoreSpec;
  readonly effects: string;
  readonly seed: number;
  /** How many runs there must be, at least: more are started until every fate was met. */
  readonly runs: number;
  /** A desk in this process, to look at what there is. */
  readonly desk: Desk;
  /** Something that is done again and again, such as cutting connections. */
  readonly disturb?: (() => Promise<void>) | undefined;
}

/** Many processes on one store, to which bad things happen, until all runs have ended. */
export class Storm {
  /** The ids of the runs whose start was acknowledged, by their keys. */
  readonly started = new Map<string, string>();
  readonly answered: Acknowledged[] = [];
  readonly fates: { readonly workers: Fates; readonly clerks: Fates };
  /** How many answers were refused because others had answered. */
  refused = 0;
  readonly #options: StormOptions;
  readonly #random: () => number;
  readonly #over = new AbortController();
  readonly #children = new Set<Child>();
  readonly #clerks = new Set<Child>();
  #lease = LEASE_MS.most;
  #isEnough = false;
  #complaints = '';

  constructor(options: StormOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    const about = [this.#random, options.runs] as const;
    this.fates = { workers: fatesOfWorkers(...about), clerks: fatesOfClerks(...about) };
  }

  /** Lets it rage until every fate was met and every run has ended. */
  async rage(deadlineMs: number): Promise<void> {
    const deadline = Date.now() + deadlineMs;
    this.#lease = await this.#fittingLease();
    const slots = [
      ...Array.from({ length: WORKERS }, () => this.#live('worker', '', this.fates.workers)),
      ...CLERKS.map((name) => this.#live('clerk', name, this.fates.clerks)),
    ];
    const all = Promise.all([...slots, this.#disturb()]);
    try {
      while (!(await this.#isCalm())) {
        if (Date.now() > deadline) throw new Error(await this.#whatIsLeft());
        await Promise.race([sleep(100), all]);
      }
    } finally {
      this.#over.abort();
      await Promise.all([...this.#children].map((child) => child.kill()));
    }
    await all;
  }

  /** By how long a process takes to begin: with much else to do on the machine everything takes longer. */
  async #fittingLease(): Promise<number> {
    // The first one compiles the program and makes the tables.
    await this.#timeToBegin();
    const fitting = (await this.#timeToBegin()) * LEASE_FACTOR;
    return Math.min(Math.max(fitting, LEASE_MS.least), LEASE_MS.most);
  }

  async #timeToBegin(): Promise<number> {
    const since = Date.now();
    const child = this.#start('worker', '', undefined);
    await Promise.race([child.hears('ready'), child.gone]);
    const time = Date.now() - since;
    await child.kill();
    return time;
  }

  async #disturb(): Promise<void> {
    let next = 0;
    while (!this.#over.signal.aborted && !this.#isEnough) {
      if (this.answered.length >= next) {
        await this.#options.disturb?.();
        next = this.answered.length + DISTURB_EVERY;
      }
      await sleep(50);
    }
  }

  async #isCalm(): Promise<boolean> {
    if (!this.#isEnough) {
      const { workers, clerks } = this.fates;
      if (this.started.size < this.#options.runs || !workers.areMet || !clerks.areMet) return false;
      this.#isEnough = true;
      for (const clerk of this.#clerks) clerk.sayEnough();
      await sleep(200);
    }
    const states = ['ready', 'running', 'parked', 'stuck'] as const;
    // The connection of this process may be cut, too.
    const left = await this.#options.desk.runs({ states, limit: 1 }).catch(() => undefined);
    return left?.items.length === 0;
  }

  /** One process after the other, each with its fate. */
  async #live(program: 'worker' | 'clerk', name: string, fates: Fates): Promise<void> {
    while (!this.#over.signal.aborted) {
      const fate = this.#isEnough ? undefined : fates.take();
      const child = this.#start(program, name, fate);
      const isMet = await this.#meet(child, program, fate);
      if (fate !== undefined) fates.isOver(fate, isMet);
      if (child.hasFailed) throw new Error(`A ${program} ended by itself: ${child.complaints}`);
    }
  }

  #start(program: 'worker' | 'clerk', name: string, fate: Fate | undefined): Child {
    const { programs, store, effects } = this.#options;
    const seed = Math.floor(this.#random() * 2 ** 31);
    const next = [...this.started.keys()].filter((key) => key.startsWith(name)).length;
    const setup = { store, effects, lease: this.#lease, seed, name, next, fate };
    const child = new Child(programs, program, setup, (said) => this.#hear(name, said));
    const kin = program === 'clerk' ? [this.#children, this.#clerks] : [this.#children];
    for (const set of kin) set.add(child);
    if (program === 'clerk' && this.#isEnough) child.sayEnough();
    void child.gone.then(() => {
      for (const set of kin) set.delete(child);
      this.#complaints += child.complaints;
    });
    return child;
  }

  /** Waits for what becomes of a process; it is gone afterwards. */
  async #meet(child: Child, program: 'worker' | 'clerk', fate: Fate | undefined): Promise<boolean> {
    if (fate === undefined || ('point' in fate && fate.does === 'kill')) {
      await child.gone;
      return !this.#over.signal.aborted;
    }
    const struck = child.hears(fate.does === 'fail' ? 'failed' : 'frozen');
    const ready = child.hears('ready');
    let said: Said | undefined;
    if ('afterMs' in fate) {
      await Promise.race([ready, child.gone]);
      await sleep(fate.afterMs);
      if (fate.does === 'freeze') child.freeze();
    } else {
      said = await Promise.race([struck, child.gone]);
    }
    let isMet = true;
    if (fate.does === 'freeze') {
      isMet = await this.#standsStill(program, said?.kind === 'frozen' ? said : {});
      child.thaw();
    }
    // It goes on for a while, late as it is.
    if (fate.does !== 'kill') await sleep(200 + this.#random() * 300);
    await child.kill();
    return isMet && !this.#over.signal.aborted;
  }

  /** Waits until others have done what a process that stands still would do; gives whether they have. */
  async #standsStill(program: 'worker' | 'clerk', { call, runId }: About): Promise<boolean> {
    if (program === 'clerk') await sleep(CLERK_STANDS_MS);
    else if (call !== undefined) return this.#comesTrue(async () => this.#hasRun(call));
    else if (runId === undefined) await sleep(this.#lease * 1.2);
    else return this.#isTakenOver(runId);
    return true;
  }

  /** It goes on when somebody else has just begun with its run, or a while after that. */
  async #isTakenOver(runId: string): Promise<boolean> {
    const times = await this.#timesBegun(runId);
    const isSo = await this.#comesTrue(async () => (await this.#timesBegun(runId)) > times);
    if (this.#random() < 0.25) await sleep(this.#random() * this.#lease);
    return isSo;
  }

  async #timesBegun(runId: string): Promise<number> {
    // The connection of this process may be cut, too.
    const audit = await this.#options.desk.audit(runId).catch(() => []);
    return audit.filter(({ kind }) => kind === 'run-begun').length;
  }

  async #comesTrue(isSo: () => Promise<boolean>): Promise<boolean> {
    const deadline = Date.now() + CATCH_UP_MS;
    while (!(await isSo())) {
      if (Date.now() > deadline) return false;
      await sleep(10);
    }
    return true;
  }

  #hasRun(call: string): boolean {
    return readEffects(this.#options.effects).some(({ name, to }) => `${name} ${to}` === call);
  }

  #hear(name: string, said: Said): void {
    if (said.kind === 'started') this.started.set(`${name}${said.index}`, said.runId);
    if (said.kind === 'answered') this.answered.push(said);
    if (said.kind === 'refused') this.refused += 1;
  }

  async #whatIsLeft(): Promise<string> {
    const states = ['ready', 'running', 'parked', 'stuck'] as const;
    const { items } = await this.#options.desk.runs({ states });
    const left = items.map(({ id, state, error }) => `${id} is ${state} ${error?.message ?? ''}`);
    const { workers, clerks } = this.fates;
    return (
      `It does not end. ${this.started.size} runs, ${JSON.stringify({ ...workers.times, ...clerks.times })}\n` +
      `${left.join('\n')}\n${this.#complaints.slice(-5_000)}`
    );
  }
}
