import type { ReactNode } from 'react';
import { useNow } from './clock.ts';
import { formatAge, formatDuration, urgencyOf } from './durations.ts';

/** Counts down to an expiry. Screen readers do not announce each second. */
export function TimeLeft({ until }: { readonly until: string }): ReactNode {
  const left = toMs(until) - useNow(1_000);
  const urgency = urgencyOf(left);
  return (
    <span className={`time-left ${urgency}`} role="timer" aria-live="off">
      {urgency === 'expired' ? 'Expired' : `Expires in ${formatDuration(left)}`}
    </span>
  );
}

/** Shows how long a hold has been pending. */
export function WaitingSince({ since }: { readonly since: string }): ReactNode {
  const age = useNow(10_000) - toMs(since);
  return (
    <span>
      waiting <time dateTime={new Date(since).toISOString()}>{formatAge(age)}</time>
    </span>
  );
}

/** Shows a time relative to now, with the local time as a tooltip. */
export function Moment({ at }: { readonly at: string }): ReactNode {
  const age = useNow(30_000) - toMs(at);
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={exact.toLocaleString()}>
      {age < 60_000 ? 'just now' : `${formatAge(age)} ago`}
    </time>
  );
}

/** Shows the time until a moment. */
export function TimeUntil({ at }: { readonly at: string }): ReactNode {
  const left = toMs(at) - useNow(1_000);
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={exact.toLocaleString()}>
      {left <= 0 ? 'In a moment' : `In ${formatDuration(left)}`}
    </time>
  );
}

/** Shows a local time with the relative time after it. */
export function LocalTime({ at }: { readonly at: string }): ReactNode {
  const age = useNow(30_000) - toMs(at);
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()}>
      {exact.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })}
      <small> ({age < 60_000 ? 'just now' : `${formatAge(age)} ago`})</small>
    </time>
  );
}

/** Returns an ISO 8601 time in milliseconds since 1970. */
export function toMs(time: string): number {
  return Date.parse(time);
}
