import { useEffect, useState } from 'react';

/** The `Date` header has whole seconds, so smaller differences mean nothing. */
const MIN_DIFFERENCE_MS = 3_000;

let offsetMs = 0;

/** Returns the time by the clock of the desk, which times of holds refer to. */
export function deskNow(): number {
  return Date.now() + offsetMs;
}

/** Sets the difference to the clock of the desk from the `Date` header of a response. */
export function syncClock(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  if (Number.isNaN(difference)) return;
  offsetMs = Math.abs(difference) < MIN_DIFFERENCE_MS ? 0 : difference;
}

/** Returns the time by the clock of the desk, and updates it at an interval. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(deskNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(deskNow()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}
