import { openDocument, parseDocument, readString, Trail } from '../../messages/codec/index.ts';
import type { DocumentHeader } from '../../messages/codec/document.ts';
import { readJsonObject } from '../../messages/codec/read-json.ts';
import type { JsonObject } from '../../messages/json.ts';
import { type RecordByKey, DeferredToolResults } from '../results.ts';
import { type ApprovalJson, approvalToJson, readApproval } from './approval-json.ts';
import { readById } from './by-id.ts';
import { type CallJson, callToJson, readExternalResult } from './call-json.ts';

/** The version of the format that {@link dumpResults} writes. */
export const RESULTS_VERSION = 1;

const HEADER = { holdpoint: 'results', version: RESULTS_VERSION } as const;

/** Answers to deferred calls as a document that says what it is. The records have no prototype. */
export interface ResultsDocument extends DocumentHeader<'results'> {
  readonly approvals: Readonly<RecordByKey<ApprovalJson>>;
  readonly calls: Readonly<RecordByKey<CallJson>>;
  readonly metadata: Readonly<RecordByKey<JsonObject>>;
  /** The digests of the calls that were answered; absent if there are none. */
  readonly digests?: Readonly<RecordByKey<string>> | undefined;
}

/** Answers as JSON text that {@link loadResults} reads; this and later versions of Holdpoint can. */
export function dumpResults(results: DeferredToolResults): string {
  return JSON.stringify(resultsToJson(results));
}

/**
 * What {@link dumpResults} writes, as a frozen document of its own.
 *
 * A result is written as a run would take it, such as a date as its text. What JSON cannot hold, and
 * what is no answer, is refused with an {@link InvalidJsonError} that names its place.
 */
export function resultsToJson(results: DeferredToolResults): ResultsDocument {
  const trail = new Trail();
  const digests = readById(results, { member: 'digests', read: readString, trail });
  return Object.freeze({
    ...HEADER,
    approvals: readById(results, { member: 'approvals', read: approvalToJson, trail }),
    calls: readById(results, { member: 'calls', read: callToJson, trail }),
    metadata: readById(results, { member: 'metadata', read: readJsonObject, trail }),
    ...(Object.keys(digests).length > 0 && { digests }),
  });
}

/**
 * The answers of a document, checked; `input` is neither kept nor changed.
 *
 * Takes what {@link dumpResults} and {@link resultsToJson} give, as text or parsed; a record that has
 * no entries may be absent. An answer must be exactly one of the forms that there are: `"yes"` and `1`
 * approve nothing, and members that this version does not know are refused. The first mistake is
 * thrown as an {@link InvalidJsonError} that names its place. Whether the answers fit the calls that
 * wait is checked when the run resumes.
 */
export function loadResults(input: unknown): DeferredToolResults {
  const trail = new Trail();
  const document = openDocument(parseDocument(input, trail), HEADER, trail);
  return new DeferredToolResults({
    approvals: readById(document, { member: 'approvals', read: readApproval, trail }),
    calls: readById(document, { member: 'calls', read: readExternalResult, trail }),
    metadata: readById(document, { member: 'metadata', read: readJsonObject, trail }),
    digests: readById(document, { member: 'digests', read: readString, trail }),
  });
}
