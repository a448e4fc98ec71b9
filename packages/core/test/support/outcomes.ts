import * as fc from 'fast-check';
import { expect } from 'vitest';
import { InvalidJsonError } from '../../src/errors/user-errors.ts';

/** Returns the result of an action, or its validation error; rethrows other errors. */
export function attempt<T>(action: () => T): T | InvalidJsonError {
  try {
    return action();
  } catch (error) {
    if (error instanceof InvalidJsonError) return error;
    throw error;
  }
}

/** The error that an action throws, if it does. */
export function catchError(action: () => unknown): Error | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return undefined;
}

/**
 * Checks that each document is rejected with the path of the problem, or loads to a value that passes
 * `check`.
 */
export function expectLoadedOrRejected<Document, Loaded>(
  documents: fc.Arbitrary<Document>,
  load: (document: Document) => Loaded,
  check: (loaded: Loaded) => void,
): void {
  fc.assert(
    fc.property(documents, (document) => {
      const outcome = attempt(() => load(document));

      if (outcome instanceof InvalidJsonError) expect(outcome.path).not.toBe('');
      else check(outcome);
    }),
    { numRuns: 1000 },
  );
}
