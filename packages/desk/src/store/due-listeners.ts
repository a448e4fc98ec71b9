/** Who wants to know that a task may have become due. */
export class DueListeners {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
