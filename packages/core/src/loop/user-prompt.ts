import { userPromptFormat, JsonPath } from '../messages/codec/index.ts';
import type { UserPrompt } from '../messages/content.ts';
import type { UserPromptPart } from '../messages/request-part.ts';

/** A prompt as a part of a request: a frozen copy, since the prompt is the caller's. */
export function userPromptPart(prompt: UserPrompt): UserPromptPart {
  const content =
    typeof prompt === 'string' ? prompt : userPromptFormat.read(prompt, JsonPath.of('prompt'));
  return Object.freeze({ kind: 'user-prompt', content });
}
