import type { JsonObject } from 'holdpoint';
import { UserError } from 'holdpoint';
import { DeskError, type DeskErrorCode } from '../errors/desk-error.ts';
import { EditDoesNotFitError } from '../errors/edit-does-not-fit-error.ts';
import type { ReportError } from '../errors/report-error.ts';
import { HoldSettledError } from '../errors/hold-settled-error.ts';
import { PolicyError } from '../errors/policy-error.ts';
import { toJson } from '../model/json.ts';
import { newId } from '../model/new-id.ts';
import { HttpProblem } from './http-problem.ts';

/** What a request gets that was refused, or that something went wrong with. */
export function errorResponse(error: unknown, onError: ReportError): Response {
  if (error instanceof HttpProblem) {
    const { status, code, message, details, headers } = error;
    return refusal(status, { code, message, ...details }, headers);
  }
  if (error instanceof HoldSettledError) return settledResponse(error);
  if (error instanceof EditDoesNotFitError) {
    const { code, message, problems } = error;
    return refusal(422, { code, message, problems: toJson(problems) });
  }
  if (error instanceof PolicyError) return internalResponse(error, onError);
  if (error instanceof DeskError) return deskResponse(error, onError);
  if (error instanceof UserError) {
    return refusal(400, { code: 'invalid-request', message: error.message });
  }
  return internalResponse(error, onError);
}

/** Answered before is a conflict, and says with whom; what has gone by is gone. */
function settledResponse({ code, message, hold, answer }: HoldSettledError): Response {
  const outcome = hold.outcome ?? 'decided';
  if (answer === undefined) return refusal(410, { code, message, outcome });
  const { by, at } = answer;
  const first = {
    by: { id: by.id, ...(by.name !== undefined && { name: by.name }) },
    kind: answer.answer.kind,
    at,
  };
  return refusal(409, { code, message, outcome, firstAnswer: first });
}

const STATUS: Readonly<Record<Exclude<DeskErrorCode, InsideCode>, number>> = {
  'already-voted': 409,
  'answer-does-not-fit': 422,
  'conversation-busy': 409,
  'edit-does-not-fit': 422,
  // Without an answer and without a hold: its time is over.
  'hold-settled': 410,
  'idempotency-key-reused': 422,
  'may-not-answer': 403,
  'link-ended': 410,
  'not-found': 404,
  'open-holds': 409,
  'remember-does-not-fit': 422,
  'run-ended': 409,
  'stale-digest': 409,
  'stale-edit': 409,
  'unknown-agent': 422,
};

/** What is about the store or a worker: its message is for those who run the desk. */
type InsideCode =
  | 'claim-lost'
  | 'decision-lapsed'
  | 'outcome-unknown'
  | 'store-busy'
  | 'store-unreachable'
  | 'tampered';

const INSIDE: Readonly<Record<InsideCode, string>> = {
  'claim-lost': 'Somebody else was at it. Look again.',
  'decision-lapsed': 'The approval is no longer valid. Look again.',
  'outcome-unknown':
    'The request may have been applied, or not. Check the state before you send it again.',
  'store-busy': 'The store is busy. Nothing was written; try again in a moment.',
  'store-unreachable': 'The store does not answer. Nothing was written; try again in a moment.',
  tampered: 'The database of the desk was changed. Nothing was written. Ask the operator.',
};

function deskResponse(error: DeskError, onError: ReportError): Response {
  const { code, message } = error;
  if (!isInside(code)) return refusal(STATUS[code], { code, message });
  const requestId = newId();
  onError(error, { requestId });
  const problem = { code, message: INSIDE[code], requestId };
  const headers = { 'x-request-id': requestId };
  // A repeated request could write a second time what the first one may have written.
  if (code === 'outcome-unknown') return refusal(500, problem, headers);
  return refusal(503, problem, { ...headers, 'retry-after': '1' });
}

function isInside(code: DeskErrorCode): code is InsideCode {
  return Object.hasOwn(INSIDE, code);
}

/** The error itself is for operators only. They find it by the id of the request. */
function internalResponse(error: unknown, onError: ReportError): Response {
  const requestId = newId();
  onError(error, { requestId });
  const message = `Internal error (request ${requestId}). The operation may have been applied. Check its state before you retry.`;
  return refusal(500, { code: 'internal', message, requestId }, { 'x-request-id': requestId });
}

function refusal(
  status: number,
  error: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ error }, { status, headers });
}
