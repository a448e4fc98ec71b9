import { type ReactNode, useCallback, useRef, useState } from 'react';

/** Says things to those who do not see the page. */
export interface Announcer {
  readonly announce: (text: string) => void;
  readonly region: ReactNode;
}

/** What comes within this time is said at once, and only the last of the same kind. */
const TOGETHER_MS = 400;

/** A region that screen readers read aloud when it changes: politely, and not each little thing. */
export function useAnnouncer(): Announcer {
  const [text, setText] = useState('');
  const waiting = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const announce = useCallback((said: string) => {
    waiting.current.push(said);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setText([...new Set(waiting.current)].join(' '));
      waiting.current = [];
    }, TOGETHER_MS);
  }, []);
  const region = (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
  return { announce, region };
}
