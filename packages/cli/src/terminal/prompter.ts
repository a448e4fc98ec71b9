import { isCancel, multiline, select, text } from '@clack/prompts';
import { discardTyped } from './discard-typed.ts';
import { quitError } from './quit.ts';
import type { Screen } from './screen.ts';
import type { TerminalStreams } from './terminal-streams.ts';
import { visible } from './visible.ts';
import { wrap } from './width.ts';

/** Somebody pressed Escape: back to where they came from. */
export const BACK: unique symbol = Symbol('back');
export type Back = typeof BACK;

/** One of several things to choose from. */
export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** What somebody is asked to write. */
export interface Writing {
  readonly message: string;
  readonly initial?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly isLong?: boolean | undefined;
  /** What is wrong with it; `undefined` if nothing is. */
  readonly problem?:
    | ((written: string) => string | undefined | Promise<string | undefined>)
    | undefined;
}

interface Common {
  readonly input: TerminalStreams['input'];
  readonly output: TerminalStreams['output'];
  readonly signal: AbortSignal;
}

/** A key as Node tells of it. */
interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

/** Asks one thing after the other. Ctrl-C ends it with an abort error, the signal with its reason. */
export class Prompter {
  readonly #streams: TerminalStreams;
  readonly #screen: Screen;
  readonly #signal: AbortSignal;

  constructor(streams: TerminalStreams, screen: Screen, signal: AbortSignal) {
    this.#streams = streams;
    this.#screen = screen;
    this.#signal = signal;
  }

  /** Forgets what was typed so far. */
  async discardTyped(): Promise<void> {
    this.#signal.throwIfAborted();
    await discardTyped(this.#streams.input);
    this.#signal.throwIfAborted();
  }

  /** Has somebody choose. */
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
    return this.#ask<string>((common) =>
      // The type of an option depends on that of its value, which is a string here.
      select<string>({
        ...common,
        message: visible(message),
        options,
        initialValue: initial,
        showInstructions: false,
      }),
    ) as Promise<Value | Back>; // one of the values that were offered
  }

  /** Has somebody write something. */
  write({ message, initial, placeholder, isLong, problem }: Writing): Promise<string | Back> {
    const options = {
      message: visible(message),
      ...(initial !== undefined && { initialValue: initial }),
      ...(placeholder !== undefined && { placeholder }),
      ...(problem !== undefined && {
        validate: (written: string | undefined) => this.#problem(problem(written ?? '')),
      }),
    };
    return this.#ask<string>((common) =>
      isLong
        ? multiline({ ...common, ...options, showSubmit: true })
        : text({ ...common, ...options }),
    );
  }

  async #ask<Answer>(ask: (common: Common) => Promise<Answer | symbol>): Promise<Answer | Back> {
    const { input, output } = this.#streams;
    this.#signal.throwIfAborted();
    const closing = new AbortController();
    const close = () => closing.abort();
    let wantsToQuit = false;
    const listen = (_: string | undefined, { name, ctrl }: Key) => {
      if (!ctrl || (name !== 'c' && name !== 'd')) return;
      wantsToQuit = true;
      // Nothing else ends a question on Ctrl-D.
      if (name === 'd') close();
    };
    this.#signal.addEventListener('abort', close);
    input.on('keypress', listen);
    input.once('end', close);
    try {
      const answer = await ask({ input, output, signal: closing.signal });
      this.#signal.throwIfAborted();
      if (!isCancel(answer)) return answer as Answer; // what is no cancellation is an answer
      if (wantsToQuit || closing.signal.aborted) throw quitError();
      return BACK;
    } finally {
      this.#signal.removeEventListener('abort', close);
      input.off('keypress', listen);
      input.off('end', close);
    }
  }

  /** A problem as it can be shown below what was written. */
  #problem(
    problem: string | undefined | Promise<string | undefined>,
  ): string | undefined | Promise<string | undefined> {
    if (problem instanceof Promise) return problem.then((settled) => this.#problem(settled));
    return problem && wrap(visible(problem), this.#screen.columns).join('\n   ');
  }
}
