import type { ReactNode } from 'react';
import { duration, roughly, urgencyOf } from './durations.ts';
import { useNow } from './use-now.ts';

/** How long there is until something expires, counting down. Nothing is read aloud while it counts. */
export function TimeLeft({ until }: { readonly until: number }): ReactNode {
  const left = until - useNow(1_000);
  const urgency = urgencyOf(left);
  return (
    <span className={`time-left ${urgency}`} role="timer" aria-live="off">
      {urgency === 'over' ? 'Time is over' : `${duration(left)} left`}
    </span>
  );
}

/** How long something has waited. */
export function WaitingFor({ since }: { readonly since: number }): ReactNode {
  const waited = useNow(10_000) - since;
  return <time dateTime={new Date(since).toISOString()}>{roughly(waited)}</time>;
}

/** When something was: how long ago, and exactly. */
export function Moment({ at }: { readonly at: number }): ReactNode {
  const ago = useNow(30_000) - at;
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={exact.toLocaleString()}>
      {ago < 60_000 ? 'just now' : `${roughly(ago)} ago`}
    </time>
  );
}
