import { UserError } from '../errors/user-errors.ts';
import type { HistoryCleaner } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';

/** Throws if a run id is empty, or is that of an earlier run of the conversation. */
export function requireNewRunId(runId: string, history: readonly Message[]): void {
  if (runId === '') throw new UserError('`runId` is empty. Leave it out to get a new id.');
  if (!history.some((message) => message.runId === runId)) return;
  throw new UserError(
    `The history already has a run with the id \`${runId}\`. Leave \`runId\` out to get a new id.`,
  );
}

/** Returns the id of the conversation that a run belongs to; `undefined` for a new conversation. */
export function conversationIdFor(
  { conversationId }: { readonly conversationId?: string | undefined },
  history: Pick<HistoryCleaner, 'conversationId'>,
): string | undefined {
  if (conversationId === '') {
    throw new UserError(
      "`conversationId` is empty. Leave it out, or pass `'new'` to get a new id.",
    );
  }
  return conversationId === 'new' ? undefined : (conversationId ?? history.conversationId);
}
