import { createCodec } from '../../messages/codec/codec.ts';
import type { DocumentHeader } from '../../messages/codec/document.ts';
import { withDefault } from '../../messages/codec/field.ts';
import { type Format, byIdOf } from '../../messages/codec/format.ts';
import {
  type Codec,
  jsonObjectFormat,
  JsonPath,
  openDocument,
  stringFormat,
} from '../../messages/codec/index.ts';
import { translatedObjectOf } from '../../messages/codec/object-format.ts';
import type { JsonObject } from '../../internal/json.ts';
import type { ApprovalDecision, ExternalResult } from '../decisions.ts';
import { type RecordByKey, DeferredToolResults } from '../results.ts';
import { type ApprovalJson, approvalDecisionFormat } from './approval-json.ts';
import { type CallJson, externalResultFormat } from './call-json.ts';

const RESULTS_HEADER = { holdpoint: 'results', version: 1 } as const;

/** Decisions and results as a document that names its format and version. The records have no prototype. */
export interface ResultsDocument extends DocumentHeader<'results'> {
  readonly approvals: Readonly<RecordByKey<ApprovalJson>>;
  readonly calls: Readonly<RecordByKey<CallJson>>;
  readonly metadata: Readonly<RecordByKey<JsonObject>>;
  /** The digests of the decided calls. Absent if no decision has one. */
  readonly digests?: Readonly<RecordByKey<string>> | undefined;
}

/**
 * Stores decisions and results as JSON that this and later versions of Holdpoint can read.
 *
 * A decision must have exactly one of the known forms: `"yes"` and `1` approve nothing, and unknown
 * members are rejected. Values are written as a run would take them, such as a date as its text. A
 * resumed run validates that the results match its pending calls.
 */
export const resultsCodec: Codec<DeferredToolResults, ResultsDocument, 1> = createCodec({
  version: RESULTS_HEADER.version,
  read: (document) =>
    new DeferredToolResults(
      resultsFormat.read(openDocument(document, RESULTS_HEADER, JsonPath.root), JsonPath.root),
    ),
  write(results) {
    const { digests, ...members } = resultsFormat.write(results, JsonPath.root) as ResultsDocument;
    const hasDigests = Object.keys(digests ?? {}).length > 0;
    return Object.freeze({ ...RESULTS_HEADER, ...members, ...(hasDigests && { digests }) });
  },
});

interface ResultsMembers {
  readonly approvals: Readonly<RecordByKey<ApprovalDecision>>;
  readonly calls: Readonly<RecordByKey<ExternalResult>>;
  readonly metadata: Readonly<RecordByKey<JsonObject>>;
  readonly digests: Readonly<RecordByKey<string>>;
}

const resultsFormat: Format<ResultsMembers> = translatedObjectOf<ResultsMembers>({
  approvals: optionalRecordOf(approvalDecisionFormat),
  calls: optionalRecordOf(externalResultFormat),
  metadata: optionalRecordOf(jsonObjectFormat),
  digests: optionalRecordOf(stringFormat),
});

function optionalRecordOf<T>(entry: Format<T>) {
  return withDefault(byIdOf(entry), Object.freeze<RecordByKey<T>>(Object.create(null)));
}
