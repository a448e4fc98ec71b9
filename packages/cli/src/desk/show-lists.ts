import type { HoldView, RunSummary } from '@holdpoint/desk/client';
import type { Line } from '../terminal/line.ts';
import { briefArgs } from '../terminal/show-batch.ts';
import { pathText } from '../terminal/show-call.ts';
import { warningsOf } from '../terminal/warnings.ts';
import { type Column, type ListRow, showColumns } from './columns.ts';
import { duration } from './duration.ts';
import { shortLength } from './find-id.ts';
import { holdAsCall } from './hold-as-call.ts';
import { personText } from './person-text.ts';

/** What a list goes by. */
interface Listing {
  readonly now: number;
  /** How many columns there are. */
  readonly room: number;
}

/** A line for each hold: what waits, for how long, and what is special about it. */
export function showHolds(holds: readonly HoldView[], { now, room }: Listing): readonly Line[] {
  const length = shortLength(holds.map(({ id }) => id));
  const hasSettled = holds.some(({ state }) => state !== 'open');
  const columns: readonly Column[] = [
    { name: 'HOLD' },
    ...(hasSettled ? [{ name: 'STATE' }] : []),
    { name: hasSettled ? 'AGE' : 'WAITS' },
    { name: 'AGENT', most: 14 },
    { name: 'CALL' },
  ];
  const rows = holds.map((hold): ListRow => {
    const call = holdAsCall(hold);
    return {
      cells: [
        hold.id.slice(0, length),
        ...(hasSettled ? [hold.outcome ?? hold.state] : []),
        duration(now - hold.createdAt),
        hold.agent,
        `${hold.toolName} ${briefArgs(call)}`,
      ],
      note: notesOf(hold, now),
      style: warningsOf(call).length > 0 && hold.state === 'open' ? 'yellow' : undefined,
    };
  });
  return showColumns(columns, rows, room);
}

function notesOf(hold: HoldView, now: number): string | undefined {
  const call = holdAsCall(hold);
  const notes = [
    ...(call.path.length > 0 ? [pathText(call.path)] : []),
    ...(hold.state !== 'open' ? [] : openNotes(hold, now)),
    ...warningsOf(call).map(({ brief }) => `! ${brief}`),
  ];
  return notes.length === 0 ? undefined : notes.join(' · ');
}

function openNotes(hold: HoldView, now: number): readonly string[] {
  const { kind, expiresAt, votes, approvers, edit } = hold;
  const count = approvers?.count ?? 1;
  return [
    ...(count > 1 ? [`${votes.length} of ${count} votes`] : []),
    ...(edit === undefined ? [] : ['edited']),
    ...(kind === 'external' ? ['needs a result'] : []),
    ...(expiresAt === undefined ? [] : [`expires in ${duration(expiresAt - now)}`]),
  ];
}

/** A line for each run: where it is, and for whom. */
export function showRuns(runs: readonly RunSummary[], { now, room }: Listing): readonly Line[] {
  const length = shortLength(runs.map(({ id }) => id));
  const columns: readonly Column[] = [
    { name: 'RUN' },
    { name: 'STATE' },
    { name: 'HOLDS' },
    { name: 'AGE' },
    { name: 'AGENT', most: 20 },
    { name: 'REQUESTED BY' },
  ];
  const rows = runs.map(({ id, state, openHolds, createdAt, agent, requester }): ListRow => {
    const isBad = state === 'failed' || state === 'stuck';
    return {
      cells: [
        id.slice(0, length),
        state,
        openHolds === 0 ? '' : String(openHolds),
        duration(now - createdAt),
        agent,
        requester === undefined ? '' : personText(requester),
      ],
      style: isBad ? 'red' : undefined,
    };
  });
  return showColumns(columns, rows, room);
}
