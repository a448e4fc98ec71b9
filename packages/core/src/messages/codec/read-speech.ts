import type { UserSpeechPart } from '../speech-part.ts';
import { readNumber, readString } from './read.ts';
import { readBinaryContent } from './read-content.ts';
import { readJsonObject } from './read-json.ts';
import { type Fields, optional } from './read-object.ts';

/** What a provider says about a part of its own. */
export const providerFields: Fields<
  Pick<UserSpeechPart, 'id' | 'providerName' | 'providerDetails'>
> = {
  id: optional(readString),
  providerName: optional(readString),
  providerDetails: optional(readJsonObject),
};

/** What is known of something said aloud, whoever said it. */
export const speechFields: Fields<Omit<UserSpeechPart, 'kind' | 'speaker'>> = {
  transcript: optional(readString),
  audio: optional(readBinaryContent),
  interruptedAtMs: optional(readNumber),
  ...providerFields,
};
