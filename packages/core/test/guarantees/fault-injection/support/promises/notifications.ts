import type { Message } from 'holdpoint';
import { present } from '../../../../support/present.ts';
import type { MadeCall } from '../journal.ts';

/** The result of a call in a history. */
export interface RecordedResult {
  readonly content: unknown;
  readonly outcome: string | undefined;
  /** The value that was executed, if it differs from the value that the model sent. */
  readonly executed: unknown;
}

/** Returns the result of a call in a history, or `undefined` if it has none. */
export function resultIn(
  messages: readonly Message[] | undefined,
  call: MadeCall,
): RecordedResult | undefined {
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

/** Texts of tools, external results and denials in these cases. */
const WORDS = /^(\d+\.\d+ at \d+|\d+ says (so|no))$/;

/**
 * True if the result is the outcome of the call, not a message about invalid arguments, a timeout or a
 * doubt.
 */
export function isFinal({ content }: RecordedResult): boolean {
  return typeof content === 'string' && WORDS.test(content);
}

/** True if the history states that the run cancelled the call before it had an outcome. */
export function isStopped(result: RecordedResult): boolean {
  return result.outcome === 'retry' && typeof result.content === 'string' && !isFinal(result);
}
