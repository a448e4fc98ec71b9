export type { Codec } from './codec.ts';
export { messageCodec, type MessagesDocument } from './message-codec.ts';

// For the codecs of other documents, and for untrusted values of messages.
export { binaryContentFormat, userContentFormat, userPromptFormat } from './content.ts';
export { openDocument } from './document.ts';
export { optional, optionalOrNull } from './field.ts';
export { booleanFormat, type Format, listOf, numberFormat, same, stringFormat } from './format.ts';
export { jsonFormat, jsonObjectFormat } from './json-format.ts';
export { JsonPath } from './json-path.ts';
export { spentUsageFormat } from './message.ts';
export { objectOf } from './object-format.ts';
export { retryPromptFormat, toolReturnFormat } from './request-part.ts';
export { toolCallFormat } from './response-part.ts';
