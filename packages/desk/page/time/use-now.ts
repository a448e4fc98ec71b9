import { useEffect, useState } from 'react';
import { deskNow } from './clock.ts';

/** The time by the clock of the desk, again after each so many milliseconds. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(deskNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(deskNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
