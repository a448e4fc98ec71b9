import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from 'holdpoint/agents';
import { DelegatingEnvironment } from '../../../../conformance/src/delegating-environment.ts';
import type { Stage } from '../../../../conformance/src/stage.ts';

/** A step of a run, over all attempts. */
export interface SeenStep {
  readonly name: string;
  /** The tools and models that it used. */
  uses: string[];
  executions: number;
}

/** Counts the executions of each step over all attempts, and the uses of replayed steps. */
export class WatchedSteps extends DelegatingEnvironment {
  readonly #stage: Stage;
  readonly #seen: SeenStep[];
  readonly #current = new AsyncLocalStorage<string[]>();
  #count = 0;

  constructor(inner: Environment, stage: Stage, seen: SeenStep[]) {
    super(inner);
    this.#stage = stage;
    this.#seen = seen;
    stage.onUse = (what) => this.#current.getStore()?.push(what);
  }

  override step<T>(name: string, action: () => Promise<T>): Promise<T> {
    const index = this.#count++;
    const seen = (this.#seen[index] ??= { name, uses: [], executions: 0 });
    if (seen.name !== name) throw new Error(`Step ${index} was ${seen.name} and is ${name}.`);
    let isExecuted = false;
    const result = this.inner.step(name, () => {
      isExecuted = true;
      seen.executions += 1;
      seen.uses = [];
      return this.#current.run(seen.uses, action);
    });
    // An earlier attempt executed it, even if it timed out and the run does not await it.
    if (seen.executions > 0 && !isExecuted) for (const what of seen.uses) this.#stage.use(what);
    return result;
  }
}
