import { RequestError } from '@agentclientprotocol/sdk';
import { AgentError } from 'holdpoint';
import { DeskError } from '@holdpoint/desk';

/** Returns the error for the editor. Errors of other code can contain secrets, so they are only logged. */
export function requestErrorOf(error: unknown, log: (line: string) => void): RequestError {
  if (error instanceof RequestError) return error;
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const isKnown = error instanceof AgentError || error instanceof DeskError;
  const text = isKnown ? error.message : 'The run failed. See the log of the agent.';
  return RequestError.internalError(undefined, text);
}
