import type { UserSpeechPart } from '../speech-part.ts';
import { binaryContentFormat } from './content.ts';
import { type Fields, optional } from './field.ts';
import { numberFormat, stringFormat } from './format.ts';
import { jsonObjectFormat } from './json-format.ts';

/** The members that a provider adds to its parts. */
export const providerFields: Fields<
  Pick<UserSpeechPart, 'id' | 'providerName' | 'providerDetails'>
> = {
  id: optional(stringFormat),
  providerName: optional(stringFormat),
  providerDetails: optional(jsonObjectFormat),
};

/** The members of speech, of the user or of the model. */
export const speechFields: Fields<Omit<UserSpeechPart, 'kind' | 'speaker'>> = {
  transcript: optional(stringFormat),
  audio: optional(binaryContentFormat),
  interruptedAtMs: optional(numberFormat),
  ...providerFields,
};
