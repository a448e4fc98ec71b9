export type { ApprovalJson } from './approval-json.ts';
export type { CallJson } from './call-json.ts';
export { requestsCodec, type RequestsDocument } from './requests-codec.ts';
export { resultsCodec, type ResultsDocument } from './results-codec.ts';
