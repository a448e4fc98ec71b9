import type { DeskClient, HoldView } from '@holdpoint/desk/client';

const LOOK_MS = 1_000;

/** Looks after a hold while somebody is asked about it; dispose of it when they have answered. */
export class HoldWatch implements Disposable {
  readonly #client: DeskClient;
  readonly #shown: HoldView;
  readonly #changed = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(client: DeskClient, shown: HoldView) {
    this.#client = client;
    this.#shown = shown;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Aborts when the hold is no longer what was shown: somebody else has answered it, or changed it. */
  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      const { hold } = await this.#client.hold(this.#shown.id);
      if (hold.state !== 'open' || hold.digest !== this.#shown.digest) this.#changed.abort();
    } catch {
      // Whether the desk can be reached is for the answer to find out.
    }
  }
}
