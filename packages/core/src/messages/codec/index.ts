export {
  dumpMessages,
  loadMessages,
  MESSAGES_VERSION,
  type MessagesDocument,
  messagesToJson,
} from './messages-document.ts';

// For the codecs of other documents, which hold parts of messages.
export { openDocument, parseDocument } from './document.ts';
export { listOf, readString } from './read.ts';
export { readSpentUsage } from './read-message.ts';
export { readUserContent, readUserPrompt } from './read-content.ts';
export { objectOf, optional } from './read-object.ts';
export { readRetryPrompt, readToolReturn } from './read-request-part.ts';
export { readToolCall } from './read-response-part.ts';
export { Trail } from './trail.ts';
