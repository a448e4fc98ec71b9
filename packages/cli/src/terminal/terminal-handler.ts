import type { Readable, Writable } from 'node:stream';
import { S_STEP_CANCEL } from '@clack/prompts';
import type {
  DeferredToolHandler,
  DeferredToolRequests,
  DeferredToolResults,
  RunContext,
} from 'holdpoint';
import { askBatch } from './ask-batch.ts';
import { Prompter } from './prompter.ts';
import { Screen } from './screen.ts';
import { SessionApprovals } from './session-approvals.ts';
import { requireTerminal } from './terminal-streams.ts';
import { takeTurn } from './turns.ts';

/** How calls are asked about in the terminal. */
export interface TerminalHandlerOptions {
  /** Where keys come from; the process's standard input unless given. It must be a terminal. */
  readonly input?: Readable | undefined;
  /** Where questions are shown; the process's standard output unless given. It must be a terminal. */
  readonly output?: Writable | undefined;
}

/**
 * A handler that asks whoever sits at the terminal: approve, deny with a reason, edit the arguments,
 * or give a result.
 *
 * Batches are asked one after the other. Ctrl-C ends the run with an `AbortError`, and nothing that
 * waited has run. Without a terminal it throws, and nothing is approved. What is approved for the
 * session holds for as long as the handler is used.
 *
 * @example
 * const { output } = await agent.run('Tidy up.', { deferredToolHandler: terminalHandler() })
 */
export function terminalHandler(options: TerminalHandlerOptions = {}): DeferredToolHandler {
  const ask = terminalAsker(options);
  return (requests, ctx) => ask(requests, { agent: ctx.agent.name, signal: ctx.signal });
}

/** Who asks, and until when. */
export interface Asking {
  readonly agent: RunContext['agent']['name'];
  readonly signal: AbortSignal;
}

/** Asks batch after batch at one terminal, and remembers what was approved for the session. */
export function terminalAsker(
  options: TerminalHandlerOptions = {},
): (requests: DeferredToolRequests, asking: Asking) => Promise<DeferredToolResults> {
  const approvals = new SessionApprovals();
  return async (requests, { agent, signal }) => {
    const { input = process.stdin, output = process.stdout } = options;
    requireTerminal({ input, output });
    return takeTurn(input, signal, async () => {
      const screen = new Screen(output);
      const questioner = {
        screen,
        prompter: new Prompter({ input, output }, screen, signal),
        requests,
      };
      try {
        return await askBatch(questioner, requests, { agent, approvals });
      } catch (error) {
        const why = signal.aborted ? 'The run was aborted meanwhile.' : 'The run ends.';
        screen.head(S_STEP_CANCEL, 'red', {
          text: `${why} Nothing that waited has run.`,
          style: 'red',
        });
        throw error;
      }
    });
  };
}
