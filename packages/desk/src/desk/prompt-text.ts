import { messageCodec, type UserPrompt } from 'holdpoint';
import type { InputRow } from '../model/input-row.ts';

/** Returns the stored form of a prompt: a document with one request. */
export function toPromptText(prompt: UserPrompt): string {
  return messageCodec.stringify([
    { kind: 'request', parts: [{ kind: 'user-prompt', content: prompt }] },
  ]);
}

/** The part of a prompt that is stored for lists of runs, in characters. A redacted value in it is rarely longer. */
const MAX_BEGINNING = 20_000;

/** Returns the beginning of the first text of a prompt; `undefined` if it has no text. */
export function promptBeginning(prompt: UserPrompt): string | undefined {
  const contents = typeof prompt === 'string' ? [prompt] : prompt;
  for (const content of contents) {
    const text =
      typeof content === 'string'
        ? content
        : content.kind === 'text-content'
          ? content.content
          : '';
    if (text.trim() !== '') return text.slice(0, MAX_BEGINNING);
  }
  return undefined;
}

/** Returns one prompt with the contents of all queued inputs, in order; `undefined` without inputs. */
export function promptOf(inputs: readonly InputRow[]): UserPrompt | undefined {
  const prompts = inputs.map(({ body = '' }) => fromPromptText(body));
  return prompts.length < 2 ? prompts[0] : prompts.flat();
}

function fromPromptText(text: string): UserPrompt {
  const part = messageCodec.parse(text)[0]?.parts[0];
  if (part?.kind === 'user-prompt') return part.content;
  throw new Error('The stored input of a run is not a prompt.');
}
