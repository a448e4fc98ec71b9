import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Hold } from '../client/types.ts';

/** Where the focus goes when the buttons that had it are gone. */
export interface FocusAfterAnswer {
  readonly votes: RefObject<HTMLElement | null>;
  readonly outcome: RefObject<HTMLDivElement | null>;
  /** Whoever looks has answered. */
  readonly onAnswered: () => void;
}

/**
 * After an answer the focus is on what came of it. What others have answered does not take the focus away
 * from where it is, unless that is gone.
 */
export function useFocusAfterAnswer(state: Hold['state']): FocusAfterAnswer {
  const votes = useRef<HTMLElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const [answers, setAnswers] = useState(0);
  const seen = useRef({ state, answers });
  useEffect(() => {
    const before = seen.current;
    seen.current = { state, answers };
    const hasAnswered = answers > before.answers;
    if (state === 'open') {
      if (hasAnswered) votes.current?.focus();
      return;
    }
    const isSettled = before.state === 'open';
    if (hasAnswered || (isSettled && hasLostFocus())) outcome.current?.focus();
  }, [state, answers]);
  const onAnswered = useCallback(() => setAnswers((count) => count + 1), []);
  return { votes, outcome, onAnswered };
}

function hasLostFocus(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}
