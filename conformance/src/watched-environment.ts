import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from 'holdpoint/agents';
import { DelegatingEnvironment } from './delegating-environment.ts';
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
 * An environment that delegates to another one and records its steps.
 *
 * It records the uses of each executed step. A replayed step executes nothing, so the uses that
 * `before` recorded are counted instead. Later uses then get the correct turn.
 */
export class WatchedEnvironment extends DelegatingEnvironment {
  readonly steps: WatchedStep[] = [];
  readonly #stage: Stage;
  readonly #before: readonly WatchedStep[];
  readonly #current = new AsyncLocalStorage<string[]>();

  constructor(inner: Environment, stage: Stage, before: readonly WatchedStep[] = []) {
    super(inner);
    this.#stage = stage;
    this.#before = before;
    stage.onUse = (what) => this.#current.getStore()?.push(what);
  }

  override step<T>(name: string, action: () => Promise<T>): Promise<T> {
    const uses: string[] = [];
    let executed = false;
    const index = this.steps.length;
    const result = this.inner.step(name, () => {
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
}
