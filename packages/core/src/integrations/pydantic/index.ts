export {
  pydanticMessageCodec,
  type PydanticMessage,
  type PydanticRequests,
  pydanticRequestsCodec,
  type PydanticResults,
  pydanticResultsCodec,
} from './codecs.ts';
