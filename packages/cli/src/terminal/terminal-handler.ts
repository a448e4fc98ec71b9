import type { Readable, Writable } from 'node:stream';
import { S_STEP_CANCEL } from '@clack/prompts';
import {
  type DeferredToolHandler,
  DeferredToolRequests,
  type DeferredToolResults,
  type RunContext,
  UserError,
} from 'holdpoint';
import { askBatch, SessionApprovals } from './ask-batch.ts';
import { Prompter, requireTerminal } from './prompter.ts';
import { Screen } from './screen.ts';

/** Options of {@link terminalHandler}. */
export interface TerminalHandlerOptions {
  /** The input, which must be a terminal. The default is the standard input of the process. */
  readonly input?: Readable | undefined;
  /** The output, which must be a terminal. The default is the standard output of the process. */
  readonly output?: Writable | undefined;
}

/**
 * Creates a handler that asks the user of the terminal to approve or deny each call, to edit its arguments,
 * or to record its result.
 *
 * Batches are handled one after the other. Ctrl-C ends the run with an `AbortError`, and no pending call is
 * executed. Without a terminal, the handler throws and approves nothing. Session approvals hold as long as the
 * handler is used.
 *
 * @example
 * const { output } = await agent.run('Tidy up.', { deferredToolHandler: terminalHandler() })
 */
export function terminalHandler(options: TerminalHandlerOptions = {}): DeferredToolHandler {
  checkStreams(options);
  const prompt = terminalPrompt(options);
  return (requests, ctx) => prompt(requests, { agent: ctx.agent.name, signal: ctx.signal });
}

/** Throws for unknown options, and for streams of another kind. */
function checkStreams(options: TerminalHandlerOptions): void {
  if (options instanceof DeferredToolRequests) {
    throw new UserError(
      'Pending calls were passed to `terminalHandler`, which creates a handler. Pass `terminalHandler()`.',
    );
  }
  for (const [name, value] of Object.entries(Object(options))) {
    if (name !== 'input' && name !== 'output') {
      throw new UserError(
        `Unknown option \`${name}\` of \`terminalHandler\`. Use one of: input, output.`,
      );
    }
    if (value !== undefined && typeof Object(value).on !== 'function') {
      throw new UserError(
        `Option \`${name}\` of \`terminalHandler\` is not a stream. Pass one that is a terminal.`,
      );
    }
  }
}

/** The agent of a batch, and the signal that closes its prompts. */
export interface BatchOptions {
  readonly agent: RunContext['agent']['name'];
  readonly signal: AbortSignal;
}

/** Creates a function that prompts for the decisions on a batch, and keeps the approvals of the session. */
export function terminalPrompt(
  options: TerminalHandlerOptions = {},
): (requests: DeferredToolRequests, batch: BatchOptions) => Promise<DeferredToolResults> {
  const approvals = new SessionApprovals();
  return async (requests, { agent, signal }) => {
    const { input = process.stdin, output = process.stdout } = options;
    requireTerminal({ input, output });
    return takeTurn(input, signal, async () => {
      const screen = new Screen(output);
      const prompter = new Prompter({ input, output }, screen, signal);
      try {
        return await askBatch({ screen, prompter, requests }, requests, { agent, approvals });
      } catch (error) {
        const reason = signal.aborted ? 'The run was aborted.' : 'The run ends.';
        const text = `${reason} The pending calls were not executed.`;
        screen.head(S_STEP_CANCEL, 'red', { text, style: 'red' });
        throw error;
      }
    });
  };
}

const lastTurns = new WeakMap<Readable, Promise<void>>();

/** Waits for earlier work at the same terminal, then does the work: one prompt at a time. */
export async function takeTurn<Result>(
  input: Readable,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = lastTurns.get(input) ?? Promise.resolve();
  let leave = () => {};
  const over = new Promise<void>((resolve) => {
    leave = resolve;
  });
  lastTurns.set(
    input,
    before.then(() => over),
  );
  try {
    await untilAborted(before, signal);
    return await work();
  } finally {
    leave();
  }
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
