import { createInterface } from 'node:readline';
import type { DeferredToolRequests, DeferredToolResults, Message } from 'holdpoint';
import { Activity } from '../terminal/activity.ts';
import type { TerminalStreams } from '../terminal/prompter.ts';
import { Screen } from '../terminal/screen.ts';
import { terminalPrompt } from '../terminal/terminal-handler.ts';
import { showValue } from '../terminal/values.ts';
import { withInterrupt } from './interrupt.ts';
import type { LoadedAgent } from './load-agent.ts';

/** Chats with an agent until the user leaves. */
export async function converse(loaded: LoadedAgent, streams: TerminalStreams): Promise<void> {
  const screen = new Screen(streams.output);
  const reader = new PromptReader(streams, screen);
  const conversation = new Conversation(loaded, streams, screen);
  screen.plain(
    { text: loaded.agent.name ?? 'agent', style: ['bold', 'blue'] },
    { text: 'Type /exit or press Ctrl-C twice to leave.', style: 'dim' },
  );
  for (;;) {
    screen.write('\n');
    const prompt = await reader.read();
    if (prompt === undefined || prompt.trim() === '/exit') return;
    if (prompt.trim() !== '') await conversation.send(prompt);
  }
}

/** The messages of a conversation, and the runs that extend them. */
class Conversation {
  readonly #loaded: LoadedAgent;
  readonly #screen: Screen;
  readonly #promptFor: ReturnType<typeof terminalPrompt>;
  #messages: readonly Message[] = [];

  constructor(loaded: LoadedAgent, streams: TerminalStreams, screen: Screen) {
    this.#loaded = loaded;
    this.#screen = screen;
    this.#promptFor = terminalPrompt(streams);
  }

  /** Runs the agent with a prompt and shows its events. */
  async send(prompt: string): Promise<void> {
    try {
      await withInterrupt((signal) => this.#run(prompt, signal));
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError';
      const text = isAborted ? 'Stopped.' : String(error);
      this.#screen.plain({ text: '' }, { text, style: isAborted ? 'yellow' : 'red' });
    }
  }

  async #run(
    prompt: string | undefined,
    signal: AbortSignal,
    results?: DeferredToolResults,
  ): Promise<void> {
    const { agent, deps } = this.#loaded;
    const activity = new Activity(this.#screen, agent.name ?? 'agent');
    const deferredToolHandler = (requests: DeferredToolRequests) =>
      this.#promptFor(requests, { agent: agent.name, signal });
    const stream = agent.stream(prompt, {
      deps,
      signal,
      messageHistory: this.#messages,
      ...(results === undefined
        ? // The next prompt cancels calls that the user left undecided.
          { onPendingCalls: 'cancel' }
        : { deferredToolResults: results }),
      deferredToolHandler,
    });
    try {
      for await (const event of stream) activity.show(event);
    } finally {
      activity.interrupt();
      if (stream.messages.length > 0) this.#messages = stream.messages;
    }
    const result = await stream.result;
    // An approved call can defer again.
    if (result.status === 'parked') {
      return this.#run(undefined, signal, await deferredToolHandler(result.output));
    }
    if (typeof result.output !== 'string') this.#showOutput(result.output);
  }

  #showOutput(output: unknown): void {
    const json = JSON.stringify(output);
    if (json !== undefined) this.#screen.plain({ text: '' }, ...showValue(JSON.parse(json)));
  }
}

/** A reader of prompts, line by line, with a history. */
class PromptReader {
  readonly #streams: TerminalStreams;
  readonly #screen: Screen;
  #history: string[] = [];

  constructor(streams: TerminalStreams, screen: Screen) {
    this.#streams = streams;
    this.#screen = screen;
  }

  /** Reads a line; returns `undefined` when the user leaves. */
  read(): Promise<string | undefined> {
    return new Promise((resolve) => {
      // Approval prompts read from the same terminal, so each line has its own interface.
      const lines = createInterface({
        ...this.#streams,
        prompt: this.#screen.paint(['bold', 'green'], 'you › '),
        history: [...this.#history],
        removeHistoryDuplicates: true,
      });
      let isLeaving = false;
      let read: string | undefined;
      lines.on('history', (history) => {
        this.#history = history;
      });
      lines.on('line', (line) => {
        read = line;
        lines.close();
      });
      lines.on('SIGINT', () => {
        if (isLeaving && lines.line === '') return lines.close();
        isLeaving = lines.line === '';
        if (isLeaving) {
          this.#screen.plain({ text: '' }, { text: 'Press Ctrl-C again to leave.', style: 'dim' });
        } else lines.write(null, { ctrl: true, name: 'u' });
        lines.prompt();
      });
      lines.on('close', () => {
        if (read === undefined) this.#screen.write('\n');
        resolve(read);
      });
      lines.prompt();
    });
  }
}
