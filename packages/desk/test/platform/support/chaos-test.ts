import { setTimeout as sleep } from 'node:timers/promises';
import type { Desk, WebhookOptions } from '@holdpoint/desk';
import { seededRandom } from 'holdpoint/testing';
import type { Fault } from './crash/fault.ts';
import { readEffects } from './crash/journal.ts';
import {
  type FaultTarget,
  type AcknowledgedDecision,
  CLERKS,
  type ChildMessage,
} from './crash/messages.ts';
import type { StoreSpec } from './crash/store-spec.ts';
import { Child } from './child.ts';
import { briefFaultPlans, type FaultPlan, clerkFaultPlan, workerFaultPlan } from './fault-plan.ts';
import type { Programs } from './programs.ts';

/** Bounds of the lease of workers. With a shorter one a busy machine would lose every lease. */
const LEASE_MS = { min: 800, max: 2_000 };
/** The lease as a multiple of the start time of a process. */
const LEASE_FACTOR = 6;
/** The time for which clerks are frozen. */
const CLERK_FROZEN_MS = 300;
/** The time in which other workers must take over from a frozen one. */
const CATCH_UP_MS = 30_000;
const WORKERS = 4;
/** The number of decisions between two disturbances. */
const DISTURB_EVERY = 40;

export interface ChaosTestOptions {
  readonly programs: Programs;
  readonly store: StoreSpec;
  readonly effects: string;
  readonly webhooks: readonly WebhookOptions[];
  readonly seed: number;
  /** Minimal number of runs. More are started until every fault has occurred. */
  readonly runs: number;
  /** True for a few faults only. */
  readonly isBrief?: boolean | undefined;
  /** A desk in this process that reads the store. */
  readonly desk: Desk;
  /** Called again and again, for instance to cut connections. */
  readonly disturb?: (() => Promise<void>) | undefined;
}

/** Executes runs in many processes on one store, and injects faults until all runs have ended. */
export class ChaosTest {
  /** The ids of the runs whose start was acknowledged, by their keys. */
  readonly started = new Map<string, string>();
  readonly decided: AcknowledgedDecision[] = [];
  readonly plans: { readonly workers: FaultPlan; readonly clerks: FaultPlan };
  /** The number of decisions that were rejected because of an earlier one. */
  rejected = 0;
  readonly #options: ChaosTestOptions;
  readonly #random: () => number;
  readonly #over = new AbortController();
  readonly #children = new Set<Child>();
  /** Clerks that may still start runs. */
  readonly #startingClerks = new Set<Child>();
  #lease = LEASE_MS.max;
  #hasEnoughRuns = false;
  #errorOutput = '';

  constructor(options: ChaosTestOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    const args = [this.#random, options.runs] as const;
    this.plans = options.isBrief
      ? briefFaultPlans(this.#random)
      : { workers: workerFaultPlan(...args), clerks: clerkFaultPlan(...args) };
  }

  /** Returns when every fault has occurred and every run has ended. */
  async run(deadlineMs: number): Promise<void> {
    const deadline = Date.now() + deadlineMs;
    this.#lease = await this.#chooseLease();
    const slots = [
      ...Array.from({ length: WORKERS }, () => this.#keepProcess('worker', '', this.plans.workers)),
      ...CLERKS.map((name) => this.#keepProcess('clerk', name, this.plans.clerks)),
    ];
    const all = Promise.all([...slots, this.#disturb()]);
    try {
      while (!(await this.#isFinished())) {
        if (Date.now() > deadline) throw new Error(await this.#describeUnfinished());
        await Promise.race([sleep(100), all]);
      }
    } finally {
      this.#over.abort();
      await Promise.all([...this.#children].map((child) => child.kill()));
    }
    await all;
  }

  /** Measures the start of a process, which takes longer on a busy machine. */
  async #chooseLease(): Promise<number> {
    // The first process compiles the program and creates the tables.
    await this.#measureStart();
    const fitting = (await this.#measureStart()) * LEASE_FACTOR;
    return Math.min(Math.max(fitting, LEASE_MS.min), LEASE_MS.max);
  }

  async #measureStart(): Promise<number> {
    const since = Date.now();
    const child = this.#start('worker', '', undefined);
    await Promise.race([child.receives('ready'), child.exited]);
    const time = Date.now() - since;
    await child.kill();
    return time;
  }

  async #disturb(): Promise<void> {
    let next = 0;
    while (!this.#over.signal.aborted && !this.#hasEnoughRuns) {
      if (this.decided.length >= next) {
        await this.#options.disturb?.();
        next = this.decided.length + DISTURB_EVERY;
      }
      await sleep(50);
    }
  }

  async #isFinished(): Promise<boolean> {
    if (!this.#hasEnoughRuns) {
      const { workers, clerks } = this.plans;
      if (this.started.size < this.#options.runs || !workers.isComplete || !clerks.isComplete)
        return false;
      this.#hasEnoughRuns = true;
      for (const clerk of this.#startingClerks) clerk.stopStarting();
      await sleep(200);
    }
    if (this.#startingClerks.size > 0) return false;
    const states = ['ready', 'running', 'parked', 'stuck'] as const;
    // The connection of this process may be cut.
    const left = await this.#options.desk.runs({ states, limit: 1 }).catch(() => undefined);
    return left?.items.length === 0;
  }

  /** Starts one process after the other, each with the next fault. */
  async #keepProcess(program: 'worker' | 'clerk', name: string, plan: FaultPlan): Promise<void> {
    while (!this.#over.signal.aborted) {
      const fault = this.#hasEnoughRuns ? undefined : plan.next();
      const child = this.#start(program, name, fault);
      const hasOccurred = await this.#awaitFault(child, program, fault);
      if (fault !== undefined) plan.finish(fault, hasOccurred);
      if (child.hasExited) throw new Error(`A ${program} ended by itself: ${child.errorOutput}`);
    }
  }

  #start(program: 'worker' | 'clerk', name: string, fault: Fault | undefined): Child {
    const { programs, store, effects, webhooks } = this.#options;
    const seed = Math.floor(this.#random() * 2 ** 31);
    const next = [...this.started.keys()].filter((key) => key.startsWith(name)).length;
    const startsRuns = program === 'clerk' && !this.#hasEnoughRuns;
    const setup = {
      store,
      effects,
      webhooks,
      lease: this.#lease,
      seed,
      name,
      next,
      startsRuns,
      fault,
    };
    const child = new Child(programs, program, setup, (message) => {
      if (message.kind === 'stopped-starting') this.#startingClerks.delete(child);
      this.#receive(name, message);
    });
    this.#children.add(child);
    if (startsRuns) this.#startingClerks.add(child);
    void child.exited.then(() => {
      this.#children.delete(child);
      this.#startingClerks.delete(child);
      this.#errorOutput += child.errorOutput;
    });
    return child;
  }

  /** Waits until the fault has hit the process, and kills it. */
  async #awaitFault(
    child: Child,
    program: 'worker' | 'clerk',
    fault: Fault | undefined,
  ): Promise<boolean> {
    if (fault === undefined || ('point' in fault && fault.action === 'kill')) {
      await child.exited;
      return !this.#over.signal.aborted;
    }
    const hit = child.receives(fault.action === 'fail' ? 'failed' : 'frozen');
    const ready = child.receives('ready');
    let message: ChildMessage | undefined;
    if ('afterMs' in fault) {
      await Promise.race([ready, child.exited]);
      await sleep(fault.afterMs);
      if (fault.action === 'freeze') child.freeze();
    } else {
      message = await Promise.race([hit, child.exited]);
    }
    let hasOccurred = true;
    if (fault.action === 'freeze') {
      const target: FaultTarget = message?.kind === 'frozen' ? message : {};
      hasOccurred = await this.#awaitCatchUp(program, target);
      child.resume();
      const { call } = target;
      // It executes the call again.
      if (call !== undefined) {
        hasOccurred &&= await this.#becomesTrue(async () => this.#countExecutions(call) > 1);
      }
    }
    // Let the process continue with its stale state for a while.
    if (fault.action !== 'kill') await sleep(200 + this.#random() * 300);
    await child.kill();
    return hasOccurred && !this.#over.signal.aborted;
  }

  /** Waits until others have done the work of a frozen process. Returns false if they have not. */
  async #awaitCatchUp(program: 'worker' | 'clerk', { call, runId }: FaultTarget): Promise<boolean> {
    if (program === 'clerk') await sleep(CLERK_FROZEN_MS);
    else if (call !== undefined)
      return this.#becomesTrue(async () => this.#countExecutions(call) > 0);
    else if (runId === undefined) await sleep(this.#lease * 1.2);
    else return this.#isTakenOver(runId);
    return true;
  }

  /** Waits until another worker has claimed the run, and sometimes for longer. */
  async #isTakenOver(runId: string): Promise<boolean> {
    const before = await this.#countClaims(runId);
    const isTakenOver = await this.#becomesTrue(
      async () => (await this.#countClaims(runId)) > before,
    );
    if (this.#random() < 0.25) await sleep(this.#random() * this.#lease);
    return isTakenOver;
  }

  async #countClaims(runId: string): Promise<number> {
    // The connection of this process may be cut.
    const audit = await this.#options.desk.audit(runId).catch(() => []);
    return audit.filter(({ kind }) => kind === 'run-claimed').length;
  }

  async #becomesTrue(isTrue: () => Promise<boolean>): Promise<boolean> {
    const deadline = Date.now() + CATCH_UP_MS;
    while (!(await isTrue())) {
      if (Date.now() > deadline) return false;
      await sleep(10);
    }
    return true;
  }

  #countExecutions(call: string): number {
    const effects = readEffects(this.#options.effects);
    return effects.filter(({ name, to }) => `${name} ${to}` === call).length;
  }

  #receive(name: string, message: ChildMessage): void {
    if (message.kind === 'started') this.started.set(`${name}${message.index}`, message.runId);
    if (message.kind === 'decided') this.decided.push(message);
    if (message.kind === 'rejected') this.rejected += 1;
  }

  async #describeUnfinished(): Promise<string> {
    const states = ['ready', 'running', 'parked', 'stuck'] as const;
    const { items } = await this.#options.desk.runs({ states });
    const left = items.map(({ id, state, error }) => `${id} is ${state} ${error?.message ?? ''}`);
    const { workers, clerks } = this.plans;
    return (
      `The runs did not end. ${this.started.size} runs, ${JSON.stringify({ ...workers.counts, ...clerks.counts })}\n` +
      `${left.join('\n')}\n${this.#errorOutput.slice(-5_000)}`
    );
  }
}
