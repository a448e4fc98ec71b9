import { type ReactNode, useCallback, useRef, useState } from 'react';

/** A live region and the function that announces texts in it. */
export interface Announcer {
  readonly announce: (text: string) => void;
  readonly region: ReactNode;
}

/** Texts within this time are announced together. */
const BATCH_MS = 400;

/** Creates a live region for screen readers. */
export function useAnnouncer(): Announcer {
  const [text, setText] = useState('');
  const batch = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const announce = useCallback((added: string) => {
    batch.current.push(added);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setText([...new Set(batch.current)].join(' '));
      batch.current = [];
    }, BATCH_MS);
  }, []);
  const region = (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
  return { announce, region };
}
