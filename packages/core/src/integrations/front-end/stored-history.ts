import { requestsFromMessages } from '../../deferred/from-messages.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { AgentError } from '../../errors/agent-errors.ts';
import { isThrown } from '../../errors/thrown.ts';
import type { Message } from '../../messages/message.ts';

/** The key of a request's metadata that holds the id of the prompt in the client. */
export const PROMPT_ID = 'uiMessageId';

/** Returns the pending calls of a history. A history that is shown may also end in calls that no run recorded. */
export function pendingIn(messages: readonly Message[]): DeferredToolRequests | undefined {
  try {
    return requestsFromMessages(messages);
  } catch (error) {
    if (isThrown(error, AgentError)) return undefined;
    throw error;
  }
}

/** Returns the id that the client gave a prompt; `undefined` if the request has none. */
export function promptIdOf({ metadata }: Message): string | undefined {
  const id = metadata?.[PROMPT_ID];
  return typeof id === 'string' ? id : undefined;
}
