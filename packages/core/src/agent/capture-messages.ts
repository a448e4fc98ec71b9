import type { Message } from '../messages/message.ts';
import { type AsyncContext, createAsyncContext } from '../internal/async-context.ts';

/** The outcome of the work inside {@link captureRunMessages}, with the messages of its run. */
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
  /** The history, which grows during the run. */
  readonly messages: readonly Message[];
}

interface Capture {
  /** The first run. */
  run: CapturedRun | undefined;
  /** The capture around this one. */
  readonly outer: Capture | undefined;
}

const captures: AsyncContext<Capture> = createAsyncContext('captureRunMessages');

/**
 * Captures the messages of the first run that `work` starts, also if the run fails.
 *
 * In a runtime without `AsyncLocalStorage`, this is the first run that starts in the process.
 *
 * @example
 * const captured = await captureRunMessages(() => agent.run('Tidy up.'))
 * if (captured.status === 'rejected') await save(captured.messages)
 */
export async function captureRunMessages<Value>(
  work: () => Promise<Value>,
): Promise<CapturedMessages<Value>> {
  const capture: Capture = { run: undefined, outer: captures.get() };
  try {
    const value = await captures.run(capture, work);
    return { status: 'fulfilled', value, messages: capture.run?.messages ?? [] };
  } catch (reason) {
    return { status: 'rejected', reason, messages: capture.run?.messages ?? [] };
  }
}

/** Records a run in the captures around it. */
export function registerCapturedRun(run: CapturedRun): void {
  for (let capture = captures.get(); capture !== undefined; capture = capture.outer) {
    capture.run ??= run;
  }
}
