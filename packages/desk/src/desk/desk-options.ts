import type { OnError } from '../errors/report-error.ts';
import type { ApproverRule } from '../model/approver-rule.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { WebhookOptions } from '../notify/webhook-options.ts';
import type { Redact } from '../redaction/redact.ts';
import type { Store } from '../store/store.ts';
import type { AnyDeskAgent, DeskAgent } from './desk-agent.ts';

/** A call that is about to wait. */
export type WaitingCallInfo = Pick<
  HoldRow,
  'kind' | 'toolName' | 'args' | 'metadata' | 'preview' | 'path' | 'inDoubt'
>;

/**
 * Who may answer which calls: one rule for all, rules by the names of tools, or a function, which gives
 * `undefined` where whoever is let in may.
 */
export type Approvers =
  | ApproverRule
  | Readonly<Record<string, ApproverRule>>
  | ((call: WaitingCallInfo) => ApproverRule | undefined);

/** Whether a call is not held, and it is only noted that it would have been. */
export type Shadow = (call: WaitingCallInfo) => boolean;

/** What a desk is opened with. */
export interface DeskOptions<Agents extends Readonly<Record<string, AnyDeskAgent>>> {
  /** Where everything is kept: `sqliteStore`, `memoryStore`. The desk does not close it. */
  readonly store: Store;
  /** The agents by the names under which runs are started. A name is stored: keep it. */
  readonly agents: { readonly [Name in keyof Agents]: DeskAgent<Agents[Name]> };
  /**
   * How long a call may wait for its answer, in milliseconds; for ever unless given. A call in doubt does
   * not expire unless a function says so.
   */
  readonly expiresAfter?: number | ((call: WaitingCallInfo) => number | undefined) | undefined;
  /**
   * Who may answer, and how many have to agree; the rule is stored with what waits. A function that throws
   * or gives no rule leaves the run stuck.
   */
  readonly approvers?: Approvers | undefined;
  /**
   * For policies that are being tried out: a call for which it gives `true` runs, and the audit says that
   * it would have been held. Calls in doubt and external calls are held all the same.
   */
  readonly shadow?: Shadow | undefined;
  /**
   * The parts of tool calls that people do not see. The stored call and the executed call stay complete. Pass
   * the same rules in every process that uses the store.
   */
  readonly redact?: Redact | undefined;
  /** Told of what happens, at least once each. Throw to be told again later. */
  readonly notify?: ((event: OutboxRow) => void | Promise<void>) | undefined;
  /**
   * Told of what happens over HTTP, at least once each, each on its own. Give all processes that work the
   * same: whichever takes an event tells everybody.
   */
  readonly webhooks?: readonly WebhookOptions[] | undefined;
  /** Where people reach the desk, such as `https://example.com/desk`: for links, and to know its own site. */
  readonly url?: string | undefined;
  /** How long a worker holds a run, or a call, without a sign of life, in milliseconds; a minute unless given. */
  readonly lease?: number | undefined;
  /**
   * How long a tool may take, in milliseconds, if neither the tool nor its agent sets a time; 15 minutes unless
   * given. A call that takes longer is in doubt, or repeated if its tool is `readOnly` or `idempotent`.
   */
  readonly toolTimeout?: number | undefined;
  /** How often a run is tried without anything coming of it before it is stuck; 5 unless given. */
  readonly mostTries?: number | undefined;
  /**
   * Receives every error that no caller gets: failed attempts, stuck runs, a database that cannot be reached.
   * Without it, errors are printed on standard error.
   */
  readonly onError?: OnError | undefined;
}
