import type { Readable, Writable } from 'node:stream';
import { UserError } from 'holdpoint';

/** Where somebody is asked. */
export interface TerminalStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Throws if nobody sits at these streams. */
export function requireTerminal({ input, output }: TerminalStreams): void {
  const missing = [
    ...(isTerminal(input) ? [] : ['the input']),
    ...(isTerminal(output) ? [] : ['the output']),
  ];
  if (missing.length === 0) return;
  throw new UserError(
    `Nobody can be asked: there is no terminal (TTY) at ${missing.join(' and ')}. No call was approved. ` +
      'Run the program in a terminal, answer with rules (decideByRules) or a handler of your own, or have ' +
      'DeferredToolRequests among the outputs, so that the run is parked and can be answered elsewhere.',
  );
}

/** Whether somebody sits at a stream. */
export function isTerminal(stream: Readable | Writable): boolean {
  return Reflect.get(stream, 'isTTY') === true;
}

/** Has keys handed over one by one and unseen, or lines as usual. */
export function setRaw(input: Readable, isRaw: boolean): void {
  const change: unknown = Reflect.get(input, 'setRawMode');
  if (typeof change === 'function') Reflect.apply(change, input, [isRaw]);
}
