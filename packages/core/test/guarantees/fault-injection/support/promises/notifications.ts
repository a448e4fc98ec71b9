import type { Message } from 'holdpoint';
import { present } from '../../../../support/present.ts';
import type { MadeCall } from '../journal.ts';

/** What a history says about a call. */
export interface Told {
  readonly content: unknown;
  readonly outcome: string | undefined;
  /** The value that it is said to have run with, where that is not what the model sent. */
  readonly executed: unknown;
}

/** What a history says about a call; `undefined` if that is nothing. */
export function toldIn(messages: readonly Message[] | undefined, call: MadeCall): Told | undefined {
  const at = messages?.findIndex(({ parts }) => parts.some((part) => isCall(part, call))) ?? -1;
  for (const message of at < 0 ? [] : present(messages).slice(at + 1)) {
    if (message.kind === 'response') return undefined;
    for (const part of message.parts) {
      if (!('toolCallId' in part) || part.toolCallId !== call.toolCallId) continue;
      if (part.kind === 'retry-prompt') {
        return { content: part.content, outcome: 'retry', executed: undefined };
      }
      if (part.kind !== 'tool-return') continue;
      return { content: part.content, outcome: part.outcome, executed: executedIn(part.metadata) };
    }
  }
  return undefined;
}

function isCall(part: Message['parts'][number], { label }: MadeCall): boolean {
  // The scripted model sends the arguments as JSON text.
  return part.kind === 'tool-call' && JSON.parse(part.args as string).call === label;
}

function executedIn(metadata: unknown): unknown {
  const own = metadata as { holdpoint?: { executedArgs?: { value?: unknown } } } | undefined;
  return own?.holdpoint?.executedArgs?.value;
}

/** What tools, those who answer from elsewhere and those who deny say in these cases, and nobody else. */
const WORDS = /^(\d+\.\d+ at \d+|\d+ says (so|no))$/;

/**
 * Whether it is what came of the call: not that the arguments of an edit did not fit, that it took too
 * long, or that nobody knows.
 */
export function isFinal({ content }: Told): boolean {
  return typeof content === 'string' && WORDS.test(content);
}

/** Whether a history says that the call was given up in this run before anything came of it. */
export function isStopped(told: Told): boolean {
  return told.outcome === 'retry' && typeof told.content === 'string' && !isFinal(told);
}
