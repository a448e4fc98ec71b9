import type { DeferredToolRequests, DeferredToolResults, Message } from 'holdpoint';
import { Activity } from '../terminal/activity.ts';
import { Screen } from '../terminal/screen.ts';
import { showValue } from '../terminal/show-value.ts';
import { terminalAsker } from '../terminal/terminal-handler.ts';
import type { TerminalStreams } from '../terminal/terminal-streams.ts';
import type { LoadedAgent } from './load-agent.ts';
import { PromptReader } from './read-prompt.ts';
import { withInterrupt } from './with-interrupt.ts';

/** Talks with an agent until somebody has enough; gives the exit code. */
export async function converse(loaded: LoadedAgent, streams: TerminalStreams): Promise<number> {
  const screen = new Screen(streams.output);
  const reader = new PromptReader(streams, screen);
  const conversation = new Conversation(loaded, streams, screen);
  screen.plain(
    { text: loaded.agent.name ?? 'agent', style: ['bold', 'blue'] },
    { text: '/exit or Ctrl-C twice to leave', style: 'dim' },
  );
  for (;;) {
    screen.write('\n');
    const said = await reader.read();
    if (said === undefined || said.trim() === '/exit') return 0;
    if (said.trim() !== '') await conversation.say(said);
  }
}

/** What was said so far, and how to go on. */
class Conversation {
  readonly #loaded: LoadedAgent;
  readonly #screen: Screen;
  readonly #ask: ReturnType<typeof terminalAsker>;
  #messages: readonly Message[] = [];

  constructor(loaded: LoadedAgent, streams: TerminalStreams, screen: Screen) {
    this.#loaded = loaded;
    this.#screen = screen;
    this.#ask = terminalAsker(streams);
  }

  /** Has the agent answer, and shows how. */
  async say(prompt: string): Promise<void> {
    try {
      await withInterrupt((signal) => this.#answer(prompt, signal));
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError';
      const text = isAborted ? 'Stopped.' : String(error);
      this.#screen.plain({ text: '' }, { text, style: isAborted ? 'yellow' : 'red' });
    }
  }

  async #answer(
    prompt: string | undefined,
    signal: AbortSignal,
    answers?: DeferredToolResults,
  ): Promise<void> {
    const { agent, deps } = this.#loaded;
    const activity = new Activity(this.#screen, agent.name ?? 'agent');
    const ask = (requests: DeferredToolRequests) =>
      this.#ask(requests, { agent: agent.name, signal });
    const stream = agent.stream(prompt, {
      deps,
      signal,
      messageHistory: this.#messages,
      ...(answers === undefined
        ? // Calls that somebody did not want to answer are given up with the next prompt.
          { onPendingCalls: 'cancel' }
        : { deferredToolResults: answers }),
      deferredToolHandler: ask,
    });
    try {
      for await (const event of stream) activity.show(event);
    } finally {
      activity.interrupt();
      if (stream.messages.length > 0) this.#messages = stream.messages;
    }
    const result = await stream.result;
    // A call that was approved and waits once more is asked about once more.
    if (result.status === 'parked') {
      return this.#answer(undefined, signal, await ask(result.output));
    }
    if (typeof result.output !== 'string') this.#showOutput(result.output);
  }

  #showOutput(output: unknown): void {
    const json = JSON.stringify(output);
    if (json !== undefined) this.#screen.plain({ text: '' }, ...showValue(JSON.parse(json)));
  }
}
