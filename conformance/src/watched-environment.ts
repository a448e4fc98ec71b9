import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from 'holdpoint/agents';
import type { Stage } from './stage.ts';

/** A step that a run started in its environment. */
export interface WatchedStep {
  readonly name: string;
  /** The tools and models that the step used, including those of nested runs. */
  readonly uses: string[];
  /** True if the step was executed, false if it was replayed. */
  readonly executed: boolean;
}

/**
 * Delegates to an environment, and records its steps.
 *
 * Records the uses of each executed step. A replayed step uses nothing, so its recorded uses, from
 * `before`, are counted instead. Later uses then get the correct turn.
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
