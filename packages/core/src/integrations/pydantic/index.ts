export {
  messagesFromPydantic,
  messagesToPydantic,
  parsePydanticMessages,
  type PydanticMessage,
  stringifyPydanticMessages,
} from './messages.ts';
export {
  parsePydanticRequests,
  type PydanticRequests,
  requestsFromPydantic,
  requestsToPydantic,
  stringifyPydanticRequests,
} from './requests.ts';
export {
  parsePydanticResults,
  type PydanticResults,
  resultsFromPydantic,
  resultsToPydantic,
  stringifyPydanticResults,
} from './results.ts';
