export type { ApprovalJson } from './approval-json.ts';
export type { CallJson } from './call-json.ts';
export {
  dumpRequests,
  loadRequests,
  REQUESTS_VERSION,
  type RequestsDocument,
  requestsToJson,
} from './requests-document.ts';
export {
  dumpResults,
  loadResults,
  RESULTS_VERSION,
  type ResultsDocument,
  resultsToJson,
} from './results-document.ts';
