import { UserError } from '../errors/user-error.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';

/** The id that a run was given; `undefined` if it needs a new one. */
export function runIdFor(
  { runId }: { readonly runId?: string | undefined },
  history: readonly Message[],
): string | undefined {
  if (runId === undefined) return undefined;
  if (runId === '') throw new UserError('runId is empty. Leave it out to get a new one.');
  if (history.some((message) => message.runId === runId)) {
    throw new UserError(
      `The history already has a run with the id '${runId}'. Leave runId out to get a new one.`,
    );
  }
  return runId;
}

/** The conversation that a run belongs to: the one that was asked for, else the history's; `undefined` for a new one. */
export function conversationIdFor(
  { conversationId }: { readonly conversationId?: string | undefined },
  history: Pick<HistoryCleaner, 'conversationId'>,
): string | undefined {
  if (conversationId === '') {
    throw new UserError("conversationId is empty. Leave it out, or give 'new' to get a new one.");
  }
  return conversationId === 'new' ? undefined : (conversationId ?? history.conversationId);
}
