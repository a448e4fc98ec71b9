import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import { UsageLimitExceeded } from 'holdpoint';
import type { EditorContext } from './acp-session.ts';
import { requestErrorOf } from './request-error.ts';
import type { TurnContext } from './turn-context.ts';
import type { TurnUpdates } from './turn-updates.ts';

/** The prompts of a session, one at a time. */
export class Turns {
  readonly #sessionId: string;
  readonly #log: (line: string) => void;
  #current: AbortController | undefined;

  constructor(sessionId: string, log: (line: string) => void) {
    this.#sessionId = sessionId;
    this.#log = log;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  cancel(): void {
    this.#current?.abort(new DOMException('The user cancelled the prompt.', 'AbortError'));
  }

  /** Handles a prompt. `onCancel` is called if the user cancelled it, but not if the editor disconnected. */
  async run(
    { client, hasForms, connection }: EditorContext,
    updates: TurnUpdates,
    work: (turn: TurnContext) => Promise<void>,
    onCancel?: () => Promise<void>,
  ): Promise<StopReason> {
    if (this.isBusy) {
      throw RequestError.invalidRequest(undefined, 'the session has a prompt in progress');
    }
    const current = new AbortController();
    this.#current = current;
    const signal = AbortSignal.any([current.signal, connection]);
    const cancel = () => this.cancel();
    try {
      const sessionId = this.#sessionId;
      await work({ sessionId, client, hasForms, updates, signal, cancel });
      return 'end_turn';
    } catch (error) {
      if (current.signal.aborted) await onCancel?.();
      if (signal.aborted) return 'cancelled';
      if (error instanceof UsageLimitExceeded) return 'max_turn_requests';
      throw requestErrorOf(error, this.#log);
    } finally {
      this.#current = undefined;
    }
  }
}
