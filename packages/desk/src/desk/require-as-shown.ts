import { isDeepStrictEqual } from 'node:util';
import { type DeferredToolRequests, type Message, requestsFromMessages } from 'holdpoint';
import { TamperedError } from '../errors/tampered-error.ts';
import { callDigestOf, type HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { SettledHold } from '../transitions/begin-run.ts';
import { questionOf, sentArgs } from './new-holds.ts';

/** Throws unless approvers were shown the calls in the history, which the run executes. */
export function requireAsShown(
  messages: readonly Message[],
  settled: readonly SettledHold[],
): void {
  if (settled.length === 0) return;
  const requests = requestsFromMessages(messages);
  for (const { hold } of settled) {
    if (requests === undefined || !isAsShown(requests, hold)) {
      throw new TamperedError(
        `Hold '${hold.id}' does not show the call in the history of its run.`,
      );
    }
  }
}

function isAsShown(requests: DeferredToolRequests, hold: HoldRow): boolean {
  const { key, kind, toolName, args, validatedArgs, preview, question } = hold;
  const { approvals, questions, calls } = requests;
  const call = { approval: approvals, question: questions, external: calls }[kind].find(
    ({ toolCallId }) => toolCallId === key,
  );
  if (call === undefined || call.toolName !== toolName) return false;
  const details = requests.get(key).details;
  const isDigest = kind === 'external' || details.digest === callDigestOf(hold);
  const shown = { args, validatedArgs, preview, question };
  const requested = {
    args: details.args ?? sentArgs(call),
    validatedArgs: details.validatedArgs,
    preview: details.preview,
    question: questionOf(details),
  };
  return isDigest && isDeepStrictEqual(toJson(shown), toJson(requested));
}
