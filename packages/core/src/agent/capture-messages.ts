import type { Message } from '../messages/message.ts';
import { asyncScope } from './async-scope.ts';

/** What happened to the work inside of {@link captureRunMessages}, and what was said. */
export type Captured<Value> =
  | {
      readonly status: 'fulfilled';
      readonly value: Value;
      readonly messages: readonly Message[];
    }
  | {
      readonly status: 'rejected';
      readonly reason: unknown;
      readonly messages: readonly Message[];
    };

interface Capture {
  /** The history of the first run; it grows while the run goes on. */
  messages: (() => readonly Message[]) | undefined;
}

const scope = asyncScope<Capture>('captureRunMessages');

/**
 * Keeps the messages of the first run that `work` starts, also when the run fails.
 *
 * @example
 * const captured = await captureRunMessages(() => agent.run('Tidy up.'))
 * if (captured.status === 'rejected') await agent.run('Go on.', { messageHistory: captured.messages })
 */
export async function captureRunMessages<Value>(
  work: () => Promise<Value>,
): Promise<Captured<Value>> {
  const capture: Capture = { messages: undefined };
  try {
    const value = await scope.run(capture, work);
    return { status: 'fulfilled', value, messages: capture.messages?.() ?? [] };
  } catch (reason) {
    return { status: 'rejected', reason, messages: capture.messages?.() ?? [] };
  }
}

/** Shows the messages of a run to whoever captures them; returns how to note that the run is over. */
export function offerMessages(messages: () => readonly Message[]): () => void {
  const leave = scope.enter();
  const capture = scope.get();
  if (capture !== undefined) capture.messages ??= messages;
  return leave;
}
