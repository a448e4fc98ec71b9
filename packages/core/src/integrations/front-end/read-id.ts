import { ChatProblem } from './chat-problem.ts';

const MAX_CLIENT_ID_LENGTH = 200;

/** Validates an id that a client sent. */
export function readId(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_CLIENT_ID_LENGTH) return id;
  throw new ChatProblem(400, `Ids must be texts of 1 to ${MAX_CLIENT_ID_LENGTH} characters.`);
}

/** Returns the id in a segment of an address. */
export function idInPath(segment = ''): string {
  try {
    return readId(decodeURIComponent(segment));
  } catch (error) {
    if (error instanceof ChatProblem) throw error;
    throw new ChatProblem(400, 'The address is not valid.');
  }
}
