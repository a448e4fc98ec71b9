import { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import type { Problem } from '../form/problems.ts';
import { saidWords } from '../holds/hold-words.ts';

/** Why an answer did not count. */
export interface Refusal {
  /** What it means for whoever has answered. */
  readonly text: string;
  /** What the desk said, which may quote others. */
  readonly said?: string | undefined;
  /** Who was faster. */
  readonly first?: { readonly id: string; readonly name?: string | undefined } | undefined;
  readonly problems: readonly Problem[];
}

/** Why an answer did not count, from what was thrown. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof DeskClientError)) {
    return {
      text: 'The desk did not answer. It is not known whether your answer has arrived: look again before you repeat it. Nothing is sent by itself.',
      problems: [],
    };
  }
  const { code, details, message } = error;
  const problems = problemsIn(details['problems']);
  const first = firstAnswer(details['firstAnswer']);
  if (first !== undefined) {
    const { by, kind } = first;
    return {
      text: `was faster and ${saidWords(kind)}. Your answer was not taken.`,
      first: by,
      problems,
    };
  }
  switch (code) {
    case 'stale-digest':
      return {
        text: 'It has changed while you looked at it. Your answer was not taken.',
        problems,
      };
    case 'stale-edit':
      return {
        text: 'The call would now do something else than you were shown. Your answer was not taken. Review the changes again.',
        problems,
      };
    case 'hold-settled':
      return {
        text: 'It does not wait any more. Your answer was not taken.',
        said: message,
        problems,
      };
    default:
      return { text: 'Your answer was not taken.', said: message, problems };
  }
}

interface FirstAnswer {
  readonly by: { readonly id: string; readonly name?: string | undefined };
  readonly kind: string;
}

function firstAnswer(value: unknown): FirstAnswer | undefined {
  const { by, kind } = Object(value);
  const { id, name } = Object(by);
  if (typeof id !== 'string' || typeof kind !== 'string') return undefined;
  return { by: { id, ...(typeof name === 'string' && { name }) }, kind };
}

function problemsIn(value: unknown): readonly Problem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    const { path, place, message, problem } = Object(one);
    return [{ path: String(path ?? place ?? ''), message: String(message ?? problem ?? '') }];
  });
}
