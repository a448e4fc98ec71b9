import type { UserSpeechPart } from '../../messages/speech-part.ts';
import { binary } from './content.ts';
import { freeObject } from './wire/free-json.ts';
import { type FieldsOf, nullable } from './wire/object.ts';
import { integer, text } from './wire/wire.ts';

/** What a provider says about a part of its own. */
export const providerFields: FieldsOf<
  Pick<UserSpeechPart, 'id' | 'providerName' | 'providerDetails'>
> = {
  id: nullable(text),
  providerName: nullable(text),
  providerDetails: nullable(freeObject),
};

/** What is known of something said aloud, whoever said it. */
export const speechFields: FieldsOf<Omit<UserSpeechPart, 'speaker'>> = {
  transcript: nullable(text),
  audio: nullable(binary),
  interruptedAtMs: nullable(integer),
  ...providerFields,
};
