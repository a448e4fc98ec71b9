import { DeferredToolRequests, type ToolCallPart } from 'holdpoint';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { isOutcome } from '../model/final-decision.ts';
import type { HoldRow } from '../model/hold-row.ts';

/** A hold, with the right of the chat user to decide it. */
export interface ShownHold {
  readonly hold: HoldRow;
  readonly mayDecide: boolean;
}

/**
 * Returns whether the chat shows everything that an approval permits. A request shows arguments and
 * a preview, but no recorded outcome, and no permission for later calls.
 */
export function isShownWhole({ proposal }: HoldRow): boolean {
  return proposal?.grant === undefined && !isOutcome(proposal?.decision);
}

/** Returns holds as the requests of a parked run. A call that the user may not decide requests nothing of them. */
export function chatRequests(holds: readonly ShownHold[]): DeferredToolRequests {
  const isRequested = ({ hold, mayDecide }: ShownHold) => hold.kind !== 'external' && mayDecide;
  const requested = holds.filter(isRequested).map(({ hold }) => hold);
  const rows = holds.map(({ hold }) => hold);
  const nested = rows.filter(({ path }) => path.length > 0);
  return new DeferredToolRequests({
    approvals: requested.filter(({ kind }) => kind === 'approval').map(callOf),
    questions: requested.filter(({ kind }) => kind === 'question').map(callOf),
    calls: holds.filter((shown) => !isRequested(shown)).map(({ hold }) => callOf(hold)),
    ids: byKey(rows, chatId),
    nested: byKey(nested, ({ path, key }) => ({ agents: path, toolCallId: lastId(key) })),
    details: byKey(rows, detailsOf),
  });
}

/** Returns the details of the call that an approval permits: the original call, or the edit that was proposed. */
function detailsOf(hold: HoldRow) {
  const { args: validatedArgs, preview } = effectiveCallOf(hold);
  const { digest, question, inDoubt, drifted, deniedBefore } = hold;
  return {
    digest,
    validatedArgs,
    ...(preview !== undefined && { preview }),
    ...(question && { question: { message: question.message, schema: question.schema } }),
    ...(inDoubt && { inDoubt }),
    ...(drifted && { drifted }),
    ...(deniedBefore && { deniedBefore }),
  };
}

/**
 * Returns the id of a hold in a chat. It changes with the proposal of the hold. So a decision about
 * an earlier proposal is not accepted for the current one, which the user was not shown.
 */
export function chatId({ id, revision = 0 }: HoldRow): string {
  return revision === 0 ? id : `${id}/${revision}`;
}

function callOf({ key, toolName, args }: HoldRow): ToolCallPart {
  // Arguments are stored as the model sent them: an object, or text that could not be parsed.
  const sent = args as ToolCallPart['args'];
  return { kind: 'tool-call', toolName, toolCallId: key, args: sent };
}

function byKey<Value>(rows: readonly HoldRow[], valueOf: (hold: HoldRow) => Value) {
  return Object.fromEntries(rows.map((hold) => [hold.key, valueOf(hold)]));
}

/** Returns the id of the call itself: the last step of its key. */
function lastId(key: string): string {
  return (key.split('/').at(-1) ?? key).replaceAll('~1', '/').replaceAll('~0', '~');
}
