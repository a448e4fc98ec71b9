import type { Readable, Writable } from 'node:stream';
import { isCancel, multiline, select, text } from '@clack/prompts';
import { type DeferredToolRequests, UserError } from 'holdpoint';
import type { Screen } from './screen.ts';
import { visible } from './visible.ts';
import { wrap } from './width.ts';

/** The streams of a terminal. */
export interface TerminalStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** True if a stream is a terminal. */
export function isTerminal(stream: Readable | Writable): boolean {
  return Reflect.get(stream, 'isTTY') === true;
}

/** Throws unless both streams are terminals. */
export function requireTerminal({ input, output }: TerminalStreams): void {
  const missing = [
    ...(isTerminal(input) ? [] : ['input']),
    ...(isTerminal(output) ? [] : ['output']),
  ];
  if (missing.length === 0) return;
  throw new UserError(
    `There is no terminal (TTY) for ${missing.join(' and ')}, so no approver can decide. No call was approved. ` +
      'Run the program in a terminal, use `decideByRules` or another handler, or add `DeferredToolRequests` to the ' +
      'outputs, so that the run parks and is resumed elsewhere.',
  );
}

/** Creates the error that ends a run when the approver quits. */
export function quitError(): DOMException {
  return new DOMException(
    'The approver ended the run in the terminal. The pending calls were not executed.',
    'AbortError',
  );
}

/** The value of a prompt that was left with Escape. */
export const BACK: unique symbol = Symbol('back');
export type Back = typeof BACK;

/** A choice of a prompt. */
export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** Options of a text prompt. */
export interface TextPrompt {
  readonly message: string;
  readonly initial?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly isLong?: boolean | undefined;
  /** Returns the problem with the text; `undefined` if it is valid. */
  readonly problem?:
    | ((written: string) => string | undefined | Promise<string | undefined>)
    | undefined;
}

interface CommonOptions extends TerminalStreams {
  readonly signal: AbortSignal;
}

/** A key, as Node emits it. */
interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

/** The terminal and the pending calls of a prompt. */
export interface PromptContext {
  readonly screen: Screen;
  readonly prompter: Prompter;
  readonly requests: DeferredToolRequests;
}

/** Keys are discarded until none has arrived for so long: an approver who types ahead does not see the prompt yet. */
const QUIET_MS = 150;
const CTRL_C = '\u0003';

/** Prompts in a terminal. Ctrl-C throws an abort error, and the signal its reason. */
export class Prompter {
  readonly #streams: TerminalStreams;
  readonly #screen: Screen;
  readonly #signal: AbortSignal;

  constructor(streams: TerminalStreams, screen: Screen, signal: AbortSignal) {
    this.#streams = streams;
    this.#screen = screen;
    this.#signal = signal;
  }

  /**
   * Discards keys until the approver stops typing: keys that were typed before the prompt was visible must not approve
   * a call. Ctrl-C still quits.
   */
  async discardTyped(): Promise<void> {
    this.#signal.throwIfAborted();
    const { input } = this.#streams;
    let typed = '';
    const listen = (data: Buffer | string) => {
      typed += data.toString();
    };
    setRaw(input, true);
    input.on('data', listen);
    input.resume();
    try {
      let known: number;
      do {
        known = typed.length;
        await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      } while (typed.length > known && !typed.includes(CTRL_C) && !this.#signal.aborted);
    } finally {
      input.off('data', listen);
      input.pause();
      setRaw(input, false);
    }
    if (typed.includes(CTRL_C)) throw quitError();
    this.#signal.throwIfAborted();
  }

  /** Prompts for one of several choices. */
  choose<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    initial: Value,
  ): Promise<Value | Back> {
    const options = choices.map(({ value, label, hint }) => ({
      value,
      label: visible(label),
      ...(hint !== undefined && { hint: visible(hint) }),
    }));
    return this.#prompt<string>((common) =>
      // The option type depends on the value type, which is a string here.
      select<string>({
        ...common,
        message: visible(message),
        options,
        initialValue: initial,
        showInstructions: false,
      }),
    ) as Promise<Value | Back>; // one of the offered values
  }

  /** Prompts for a text. */
  write({ message, initial, placeholder, isLong, problem }: TextPrompt): Promise<string | Back> {
    const options = {
      message: visible(message),
      ...(initial !== undefined && { initialValue: initial }),
      ...(placeholder !== undefined && { placeholder }),
      ...(problem !== undefined && {
        validate: (written: string | undefined) => this.#problem(problem(written ?? '')),
      }),
    };
    return this.#prompt<string>((common) =>
      isLong
        ? multiline({ ...common, ...options, showSubmit: true })
        : text({ ...common, ...options }),
    );
  }

  async #prompt<Value>(
    prompt: (common: CommonOptions) => Promise<Value | symbol>,
  ): Promise<Value | Back> {
    const { input, output } = this.#streams;
    this.#signal.throwIfAborted();
    const closing = new AbortController();
    const close = () => closing.abort();
    let wantsToQuit = false;
    const listen = (_: string | undefined, { name, ctrl }: Key) => {
      if (!ctrl || (name !== 'c' && name !== 'd')) return;
      wantsToQuit = true;
      // The prompt itself does not end on Ctrl-D.
      if (name === 'd') close();
    };
    this.#signal.addEventListener('abort', close);
    input.on('keypress', listen);
    input.once('end', close);
    try {
      const value = await prompt({ input, output, signal: closing.signal });
      this.#signal.throwIfAborted();
      if (!isCancel(value)) return value as Value; // the symbol is the only other value
      if (wantsToQuit || closing.signal.aborted) throw quitError();
      return BACK;
    } finally {
      this.#signal.removeEventListener('abort', close);
      input.off('keypress', listen);
      input.off('end', close);
    }
  }

  /** Wraps a problem so that it fits below the text. */
  #problem(
    problem: string | undefined | Promise<string | undefined>,
  ): string | undefined | Promise<string | undefined> {
    if (problem instanceof Promise) return problem.then((settled) => this.#problem(settled));
    return problem && wrap(visible(problem), this.#screen.columns).join('\n   ');
  }
}

function setRaw(input: Readable, isRaw: boolean): void {
  const change: unknown = Reflect.get(input, 'setRawMode');
  if (typeof change === 'function') Reflect.apply(change, input, [isRaw]);
}
