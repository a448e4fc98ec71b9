/** A queue per key: callbacks with the same key execute one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Executes the callback after the callbacks of earlier calls with this key, including failed
   * ones.
   */
  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const result = before === undefined ? work() : before.then(work);
    const settled = result.catch(() => {});
    this.#last.set(key, settled);
    try {
      return await result;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
