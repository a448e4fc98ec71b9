import { builtinModule } from './builtin-module.ts';
import { UserError } from '../errors/user-errors.ts';

/** A value that is available in everything that an async function calls. */
export interface AsyncContext<Value> {
  /** Returns the current value; `undefined` outside of `run`. */
  get(): Value | undefined;
  /** Executes `work` with this value. */
  run<Result>(value: Value, work: () => Promise<Result>): Promise<Result>;
  /** Records the start of an agent run. Returns a function that records its end, if that is needed. */
  enter(): (() => void) | undefined;
}

/** The members of `AsyncLocalStorage` that a context needs. */
interface Storage<Value> {
  getStore(): Value | undefined;
  run<Result>(value: Value, work: () => Result): Result;
}

interface AsyncHooks {
  readonly AsyncLocalStorage: new <Value>() => Storage<Value>;
}

/** Creates a context. `what` names it in errors. */
export function createAsyncContext<Value>(what: string): AsyncContext<Value> {
  const hooks = builtinModule<AsyncHooks>('node:async_hooks');
  return hooks === undefined ? new ExclusiveContext<Value>(what) : new StorageContext<Value>(hooks);
}

class StorageContext<Value> implements AsyncContext<Value> {
  readonly #storage: Storage<Value>;

  constructor(hooks: AsyncHooks) {
    this.#storage = new hooks.AsyncLocalStorage<Value>();
  }

  get(): Value | undefined {
    return this.#storage.getStore();
  }

  run<Result>(value: Value, work: () => Promise<Result>): Promise<Result> {
    return this.#storage.run(value, work);
  }

  enter(): undefined {
    return undefined;
  }
}

/**
 * A context for runtimes without `AsyncLocalStorage`.
 *
 * Code cannot know which call it belongs to there, so runs must not overlap: inside of `run` there is one agent
 * run at a time, and `run` cannot start during another one.
 */
export class ExclusiveContext<Value> implements AsyncContext<Value> {
  readonly #what: string;
  #current: { readonly value: Value } | undefined;
  #runs = 0;

  constructor(what: string) {
    this.#what = what;
  }

  get(): Value | undefined {
    return this.#current?.value;
  }

  async run<Result>(value: Value, work: () => Promise<Result>): Promise<Result> {
    if (this.#runs > 0 || this.#current !== undefined) throw this.#overlap();
    this.#current = { value };
    try {
      return await work();
    } finally {
      this.#current = undefined;
    }
  }

  enter(): () => void {
    if (this.#current !== undefined && this.#runs > 0) throw this.#overlap();
    this.#runs += 1;
    let left = false;
    return () => {
      if (!left) this.#runs -= 1;
      left = true;
    };
  }

  #overlap(): UserError {
    return new UserError(
      `${this.#what} cannot overlap with other runs here: this JavaScript runtime has no AsyncLocalStorage. ` +
        'Wait for one run before you start the next.',
    );
  }
}
