import type { Message } from '../messages/message.ts';
import { type AsyncContext, createAsyncContext } from '../internal/async-context.ts';

/** What happened to the work inside of {@link captureRunMessages}, and what was said. */
export type CapturedMessages<Value> =
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

interface CapturedRun {
  /** The history; it grows while the run goes on. */
  readonly messages: readonly Message[];
}

interface Capture {
  /** The first run. */
  run: CapturedRun | undefined;
  /** The capture around this one. */
  readonly outer: Capture | undefined;
}

const scope: AsyncContext<Capture> = createAsyncContext('captureRunMessages');

/**
 * Keeps the messages of the first run that `work` starts, also when the run fails.
 *
 * Where there is no AsyncLocalStorage, that is the first run that anybody starts.
 *
 * @example
 * const captured = await captureRunMessages(() => agent.run('Tidy up.'))
 * if (captured.status === 'rejected') await save(captured.messages)
 */
export async function captureRunMessages<Value>(
  work: () => Promise<Value>,
): Promise<CapturedMessages<Value>> {
  const capture: Capture = { run: undefined, outer: scope.get() };
  try {
    const value = await scope.run(capture, work);
    return { status: 'fulfilled', value, messages: capture.run?.messages ?? [] };
  } catch (reason) {
    return { status: 'rejected', reason, messages: capture.run?.messages ?? [] };
  }
}

/** Shows the messages of a run to whoever captures them. */
export function offerMessages(run: CapturedRun): void {
  for (let capture = scope.get(); capture !== undefined; capture = capture.outer) {
    capture.run ??= run;
  }
}
