import type { BinaryContent } from './content.ts';
import type { JsonObject } from '../internal/json.ts';

/** The fields of every speech part. */
export interface SpeechFields {
  readonly kind: 'speech';
  /** The transcript of the speech. */
  readonly transcript?: string | undefined;
  /** The recording of the speech. */
  readonly audio?: BinaryContent | undefined;
  /** The time in milliseconds after which the speaker was interrupted; absent if the speaker finished. */
  readonly interruptedAtMs?: number | undefined;
  /** The id that the provider gave this part. */
  readonly id?: string | undefined;
  readonly providerName?: string | undefined;
  /** Data that the provider expects back with this part in later requests; opaque. */
  readonly providerDetails?: JsonObject | undefined;
}

/** Speech of a person. */
export interface UserSpeechPart extends SpeechFields {
  readonly speaker: 'user';
}

/** Speech of the model. */
export interface AssistantSpeechPart extends SpeechFields {
  readonly speaker: 'assistant';
}

/** Returns speech as text for a model that accepts only text; empty without a transcript. */
export function renderSpeech(part: UserSpeechPart | AssistantSpeechPart): string {
  if (part.transcript === undefined || part.interruptedAtMs === undefined) {
    return part.transcript ?? '';
  }
  return `${part.transcript}\n[Cut short after ${part.interruptedAtMs} ms]`;
}
