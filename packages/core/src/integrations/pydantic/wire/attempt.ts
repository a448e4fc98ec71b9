import { InvalidJsonError } from '../../../errors/user-errors.ts';

/** What `read` gives, or `undefined` if the value is not what it reads. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}
