import type { BinaryContent } from './content.ts';
import type { JsonObject } from '../internal/json.ts';

/** The fields of every speech part. */
export interface SpeechFields {
  readonly kind: 'speech';
  /** What was said, in writing. */
  readonly transcript?: string | undefined;
  /** What was said, as sound. */
  readonly audio?: BinaryContent | undefined;
  /** After how many milliseconds the speaker was cut short; absent for one who finished. */
  readonly interruptedAtMs?: number | undefined;
  /** The id that the provider gave this part. */
  readonly id?: string | undefined;
  readonly providerName?: string | undefined;
  /** What the provider wants to have back with this part in later requests; opaque. */
  readonly providerDetails?: JsonObject | undefined;
}

/** What a person said aloud. */
export interface UserSpeechPart extends SpeechFields {
  readonly speaker: 'user';
}

/** What the model said aloud. */
export interface AssistantSpeechPart extends SpeechFields {
  readonly speaker: 'assistant';
}

/** Something that was said aloud, as a model reads it that takes only text; empty if nobody wrote it down. */
export function renderSpeech(part: UserSpeechPart | AssistantSpeechPart): string {
  if (part.transcript === undefined || part.interruptedAtMs === undefined) {
    return part.transcript ?? '';
  }
  return `${part.transcript}\n[Cut short after ${part.interruptedAtMs} ms]`;
}
