import type { HoldRow } from './hold-row.ts';
import type { HoldOutcome } from './states.ts';
import type { OutboxKind, OutboxRow } from './outbox-row.ts';

/** The members that each kind of event has beside those of every event. */
export interface EventDetails {
  /** A run was accepted; a worker will execute it. */
  readonly 'run-started': { readonly agent: string; readonly conversationId: string };
  /** A run ended with its output. */
  readonly 'run-finished': NoDetails;
  /** A run ended with an error that a retry would not change. */
  readonly 'run-failed': NoDetails;
  readonly 'run-cancelled': NoDetails;
  /** A run failed too often. An operator must retry or cancel it. */
  readonly 'run-stuck': NoDetails;
  /** A call needs a decision, an input or a result. */
  readonly 'hold-opened': HoldDetails & { readonly holdKind: HoldRow['kind'] };
  /** An approver voted, and other approvers must vote too. */
  readonly 'hold-voted': HoldDetails & {
    readonly digest: string;
    readonly votes: number;
    readonly count: number;
  };
  readonly 'hold-settled': HoldDetails & { readonly outcome: HoldOutcome };
  /** The call did not start while its approval was valid, so the approval is requested again. */
  readonly 'hold-reopened': HoldDetails;
  /** A step of escalation was reached: further approvers may decide. */
  readonly 'hold-escalated': HoldDetails & { readonly afterMs: number };
  /** A hold has been open for a while. The policy requested a reminder at this age. */
  readonly 'hold-reminder': HoldDetails & {
    readonly afterMs: number;
    readonly votes: number;
    readonly count: number;
  };
  /** A person commented on a hold. Read the text from the desk. */
  readonly 'hold-commented': HoldDetails & { readonly number: number };
  readonly 'grant-created': HoldDetails & { readonly grantId: string };
  readonly 'grant-revoked': { readonly grantId: string };
}

/** The members of events about a hold. */
export interface HoldDetails {
  readonly holdId: string;
}

/** The members of events that have no others. */
export type NoDetails = Readonly<Record<never, never>>;

/** The members of every event. */
export interface EventFacts<Kind extends OutboxKind> {
  /** The same whenever the event is delivered again. Ignore ids that you have seen. */
  readonly id: string;
  readonly kind: Kind;
  readonly tenant: string;
  readonly runId: string;
  /** The time of the event, in milliseconds since 1970. */
  readonly at: number;
  /** The page of the hold or the run in the inbox; `undefined` if the desk has no `url`. */
  readonly url?: string | undefined;
}

/** An event as receivers get it. It has ids and states only. Read the rest from the desk. */
export type DeskEvent = {
  readonly [Kind in OutboxKind]: EventFacts<Kind> & EventDetails[Kind];
}[OutboxKind];

/** Returns a stored event as receivers get it. */
export function deskEvent(row: OutboxRow, deskUrl: string | undefined): DeskEvent {
  const { id, kind, tenant, runId, at, data } = row;
  const url = deskUrl && `${deskUrl}/inbox${pageOf(row)}`;
  // `RunChange.emit` writes the details of the kind.
  return Object.freeze({ ...data, id, kind, tenant, runId, at, ...(url && { url }) }) as DeskEvent;
}

function pageOf({ runId, data }: OutboxRow): string {
  const { holdId } = data;
  return typeof holdId === 'string' ? `/holds/${holdId}` : `/runs/${runId}`;
}
