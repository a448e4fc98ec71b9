import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { lowerPriority } from './lower-priority.ts';
import type { BugSearch, BugSearchOutcome } from './planted-bug-process.ts';
import type { SearchResult } from './search-result.ts';

const PROGRAM = join(import.meta.dirname, 'planted-bug-process.ts');

/** A process that searches stories for planted bugs, one bug at a time. */
export class BugSearches implements Disposable {
  readonly #process: ChildProcess;
  #last: Promise<unknown> = Promise.resolve();
  #errorOutput = '';

  constructor() {
    this.#process = fork(PROGRAM, { execArgv: ['--conditions=holdpoint-source'], silent: true });
    lowerPriority(this.#process);
    this.#process.stderr?.on('data', (text) => {
      this.#errorOutput += String(text);
    });
  }

  /** Plants a bug, and searches a story that breaks the property. */
  search(wanted: BugSearch): Promise<SearchResult> {
    const result = this.#last.then(() => this.#request(wanted));
    this.#last = result.catch(() => {});
    return result;
  }

  async #request(wanted: BugSearch): Promise<SearchResult> {
    const ended = new AbortController();
    const exit = once(this.#process, 'close', { signal: ended.signal }).then(([code]) => {
      throw new Error(`The search for '${wanted.name}' exited with ${code}: ${this.#errorOutput}`);
    });
    const outcome = once(this.#process, 'message', { signal: ended.signal });
    this.#process.send(wanted);
    try {
      // The program sends outcomes only.
      const [{ result, error }] = (await Promise.race([outcome, exit])) as [BugSearchOutcome];
      if (result === undefined) throw new Error(error);
      return result;
    } finally {
      ended.abort();
      await Promise.allSettled([outcome, exit]);
    }
  }

  [Symbol.dispose](): void {
    this.#process.disconnect();
  }
}
