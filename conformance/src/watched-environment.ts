import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from 'holdpoint/agents';
import type { Stage } from './stage.ts';

/** A step that a run asked its environment for. */
export interface WatchedStep {
  readonly name: string;
  /** What of the scenario was used in it: tools and models, also those of runs inside it. */
  readonly uses: string[];
  /** Whether it was done, and not played back. */
  readonly executed: boolean;
}

/**
 * Passes everything on to an environment and watches its steps.
 *
 * What a step uses when it is done is written down. A step that is played back uses nothing, so what
 * it used when it was done, in `before`, is counted as used: what comes next has its right turn.
 */
export class WatchedEnvironment implements Environment {
  readonly steps: WatchedStep[] = [];
  readonly #inner: Environment;
  readonly #stage: Stage;
  readonly #before: readonly WatchedStep[];
  readonly #current = new AsyncLocalStorage<string[]>();

  constructor(inner: Environment, stage: Stage, before: readonly WatchedStep[] = []) {
    this.#inner = inner;
    this.#stage = stage;
    this.#before = before;
    stage.onUse = (what) => this.#current.getStore()?.push(what);
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    const uses: string[] = [];
    let executed = false;
    const index = this.steps.length;
    const result = this.#inner.step(name, () => {
      executed = true;
      return this.#current.run(uses, action);
    });
    if (!executed) {
      uses.push(...(this.#before[index]?.uses ?? []));
      for (const what of uses) this.#stage.use(what);
    }
    this.steps.push({ name, uses, executed });
    return result;
  }

  now(): number {
    return this.#inner.now();
  }

  newId(): string {
    return this.#inner.newId();
  }

  random(): number {
    return this.#inner.random();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#inner.sleep(ms, signal);
  }

  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]> {
    return this.#inner.all(promises, each);
  }

  race<T>(promises: readonly Promise<T>[]): Promise<T> {
    return this.#inner.race(promises);
  }

  replaying(): boolean {
    return this.#inner.replaying();
  }
}
