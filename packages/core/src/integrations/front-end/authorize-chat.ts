import { UserError } from '../../errors/user-errors.ts';
import type { ChatAccess } from './chat-backend.ts';
import { ChatProblem } from './chat-problem.ts';
import type { ChatOptions } from './chat-options.ts';

/** Returns the access of the caller to a chat, or the response of the application. */
export async function authorizeChat<Access extends ChatAccess>(
  { authorize }: Pick<ChatOptions<Access>, 'authorize'>,
  request: Request,
  chatId: string,
): Promise<Access | Response> {
  const access = await authorize(request, chatId);
  if (access === undefined) throw new ChatProblem(403, 'You have no access to this conversation.');
  if (access instanceof Response) return access;
  if (typeof access.conversationId === 'string' && access.conversationId !== '') return access;
  throw new UserError(
    '`authorize` returned no `conversationId`, so the conversation is unknown. Return `{ conversationId }` or `undefined`.',
  );
}
