/** Lets one at a time do its work, in the order in which they come. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    // What goes wrong is the business of whoever asked for it, and not of the next one.
    this.#last = result.catch(() => {});
    return result;
  }
}
