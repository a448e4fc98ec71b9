import { dumpMessages, loadMessages, type UserPrompt } from 'holdpoint';

/** A prompt as it is stored: a document with one request in it. */
export function toPromptText(prompt: UserPrompt): string {
  return dumpMessages([{ kind: 'request', parts: [{ kind: 'user-prompt', content: prompt }] }]);
}

/** A prompt that was stored. */
export function fromPromptText(text: string): UserPrompt {
  const part = loadMessages(text)[0]?.parts[0];
  if (part?.kind === 'user-prompt') return part.content;
  throw new Error('What is stored as the input of a run is not a prompt.');
}
