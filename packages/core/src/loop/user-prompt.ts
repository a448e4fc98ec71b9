import { readUserPrompt, Trail } from '../messages/codec/index.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { UserPromptPart } from '../messages/request-part.ts';

/** A prompt as a part of a request: a frozen copy, since the prompt is the caller's. */
export function userPromptPart(prompt: UserPrompt): UserPromptPart {
  const content = typeof prompt === 'string' ? prompt : readUserPrompt(prompt, Trail.at('prompt'));
  return Object.freeze({ kind: 'user-prompt', content });
}
