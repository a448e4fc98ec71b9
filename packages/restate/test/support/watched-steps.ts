import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from 'holdpoint/agents';
import type { Stage } from '../../../../conformance/src/stage.ts';

/** A step of a run, over all attempts. */
export interface SeenStep {
  readonly name: string;
  /** The tools and models that it used. */
  uses: string[];
  executions: number;
}

/** Counts the executions of each step over all attempts, and the uses of replayed steps. */
export class WatchedSteps implements Environment {
  readonly #inner: Environment;
  readonly #stage: Stage;
  readonly #seen: SeenStep[];
  readonly #current = new AsyncLocalStorage<string[]>();
  #count = 0;

  constructor(inner: Environment, stage: Stage, seen: SeenStep[]) {
    this.#inner = inner;
    this.#stage = stage;
    this.#seen = seen;
    stage.onUse = (what) => this.#current.getStore()?.push(what);
  }

  step<T>(name: string, action: () => Promise<T>): Promise<T> {
    const index = this.#count++;
    const seen = (this.#seen[index] ??= { name, uses: [], executions: 0 });
    if (seen.name !== name) throw new Error(`Step ${index} was ${seen.name} and is ${name}.`);
    let isExecuted = false;
    const result = this.#inner.step(name, () => {
      isExecuted = true;
      seen.executions += 1;
      seen.uses = [];
      return this.#current.run(seen.uses, action);
    });
    // An earlier attempt executed it, even if it timed out and the run does not await it.
    if (seen.executions > 0 && !isExecuted) for (const what of seen.uses) this.#stage.use(what);
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
