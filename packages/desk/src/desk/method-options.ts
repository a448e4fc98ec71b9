import { UserError, type UserPrompt } from 'holdpoint';
import { adviceFor, checkOptions, type KeysOf, kindOf, shownValue } from '../model/check-keys.ts';
import type { DecisionRow } from '../model/decision-row.ts';
import type { GrantRequest } from '../model/grant-request.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import { checkPerson } from './check-decision.ts';
import type { RunLimitOptions } from '../worker/run-limits.ts';
import type { ReservedSlots } from '../worker/worker.ts';
import type { DecisionLinkOptions } from '../links/decision-link.ts';

/** Options of `desk.start`. */
export interface StartOptions {
  /** The person on whose behalf the run executes. Approvers do not become requesters. */
  readonly requester?: Person | undefined;
  /** The conversation to continue; a new one by default. It must have no live run. */
  readonly conversationId?: string | undefined;
  /**
   * The same key from the same requester returns the same run, also after the run has ended. A key that was
   * used for another request is rejected with `idempotency-key-reused`.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of `desk.message`. */
export interface MessageOptions extends Omit<StartOptions, 'conversationId'> {
  /**
   * The treatment of open holds: `reject` rejects the message (the default), `supersede` settles the holds as
   * superseded, and the model receives this outcome.
   */
  readonly onOpenHolds?: 'reject' | 'supersede' | undefined;
}

/** Options of `desk.decide`. */
export interface DecideOptions {
  /** The approver. */
  readonly by: Person;
  /** The digest of the hold as the approver was shown it. */
  readonly digest: string;
  /** The roles of the approver. Without them, a rule that demands a role rejects the decision. */
  readonly roles?: readonly string[] | undefined;
  /**
   * The person who delegated the decision to the approver. Their requirement must be met, the delegate counts as
   * themselves, and neither of them counts twice.
   */
  readonly onBehalfOf?: Person | undefined;
  /** Requests a grant: the approval is valid for later calls as well. */
  readonly grant?: GrantRequest | undefined;
  /**
   * The `shown` of `previewEdit`, which confirms the description of an edit that the approver was
   * shown. Without it, an edit that the tool changes or has a preview for is recorded without a
   * vote of its author.
   */
  readonly shown?: string | undefined;
}

/** Options of `desk.delegate`. */
export interface DelegateOptions {
  /** The person who is away. */
  readonly from: Person;
  /** The person who decides on their behalf. */
  readonly to: Person;
  /** The roles of `from` that the delegate may use; none by default. */
  readonly roles?: readonly string[] | undefined;
  /** The time from which the delegation is no longer valid: a `Date`, or milliseconds since 1970. At most a year. */
  readonly until: Date | number;
  /** The person who creates the delegation; `from` by default. */
  readonly by?: Person | undefined;
}

/** Options of `desk.startWorker`. */
export interface WorkerOptions extends RunLimitOptions {
  /** The name that is stored with claimed tasks; the host and the process id by default. */
  readonly name?: string | undefined;
  /**
   * Stops the worker: it claims no more tasks, aborts model requests, and releases each run after the tool
   * calls that are executing. `desk.close()` stops it, too.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time that executing calls have when the worker stops, in milliseconds; 30 seconds by default. Then
   * their signals abort, and the worker ends about a second later in any case.
   */
  readonly drainMs?: number | undefined;
  /** The number of concurrent tasks of any kind; 4 by default. */
  readonly concurrency?: number | undefined;
  /**
   * The number of further slots that only tasks of one kind occupy, so that a backlog of another
   * kind does not delay them. By default one each for `expiry`, `outbox` and `webhook`. Pass 0 for
   * a kind without its own slot.
   */
  readonly reservedSlots?: ReservedSlots | undefined;
  /**
   * The time between two reads for due tasks, in milliseconds; a second by default. Tasks that a
   * process with the same store makes due are claimed immediately. A poll finds tasks that become
   * due by time.
   */
  readonly pollMs?: number | undefined;
}

/** Options of `desk.perform`. */
export interface PerformOptions {
  /**
   * The name of this performance, such as the id of an invocation. If its process dies, the engine
   * performs the task again with the same name. The run is then claimed immediately instead of
   * after its lease.
   */
  readonly owner: string;
  /** Stops the performance like that of a worker: a run is released after the tool calls that are executing. */
  readonly signal?: AbortSignal | undefined;
  /** The time that executing calls have when `signal` aborts, in milliseconds; 30 seconds by default. */
  readonly drainMs?: number | undefined;
}

/** Options of `desk.sweep`. */
export interface SweepOptions {
  /** The time for which a task has been due before it is scheduled again, in milliseconds; a second by default. */
  readonly overdueMs?: number | undefined;
  /** The number of tasks; 500 by default. */
  readonly limit?: number | undefined;
}

/** Options of `desk.startSweep`. */
export interface SweepLoopOptions extends SweepOptions {
  /** The time between two sweeps, in milliseconds; 2 seconds by default. */
  readonly everyMs?: number | undefined;
  /** Stops the sweeps. `desk.close()` stops them, too. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `desk.waitFor`. */
export interface WaitOptions {
  /** Ends the wait: `waitFor` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait, in milliseconds; then `waitFor` rejects with a `TimeoutError`. No limit by default. */
  readonly timeoutMs?: number | undefined;
}

/** A hold with the decisions about it. */
export interface HoldWithDecisions extends HoldRow {
  readonly decisions: readonly DecisionRow[];
}

/** The reasons why an approver may not decide or approve a hold; `undefined` for a right that they have. */
export interface ApproverRights {
  readonly whyNotDecide: string | undefined;
  readonly whyNotApprove: string | undefined;
}

/** The option with the person who executes an operation. */
export interface ByOption {
  readonly by: Person;
}

export const START_OPTIONS: KeysOf<StartOptions> = {
  requester: true,
  conversationId: true,
  idempotencyKey: true,
};

export const MESSAGE_OPTIONS: KeysOf<MessageOptions> = {
  requester: true,
  idempotencyKey: true,
  onOpenHolds: true,
};

export const DECIDE_OPTIONS: KeysOf<DecideOptions> = {
  by: true,
  digest: true,
  roles: true,
  onBehalfOf: true,
  grant: true,
  shown: true,
};

export const DELEGATE_OPTIONS: KeysOf<DelegateOptions> = {
  from: true,
  to: true,
  roles: true,
  until: true,
  by: true,
};

export const LINK_OPTIONS: KeysOf<DecisionLinkOptions> = {
  for: true,
  roles: true,
  expiresAfter: true,
  decision: true,
};

export const WORKER_OPTIONS: KeysOf<WorkerOptions> = {
  signal: true,
  concurrency: true,
  reservedSlots: true,
  pollMs: true,
  drainMs: true,
  name: true,
  maxRunsPerTenant: true,
  maxRunsPerAgent: true,
};

export const PERFORM_OPTIONS: KeysOf<PerformOptions> = {
  owner: true,
  signal: true,
  drainMs: true,
};

export const SWEEP_OPTIONS: KeysOf<SweepOptions> = { overdueMs: true, limit: true };

export const SWEEP_LOOP_OPTIONS: KeysOf<SweepLoopOptions> = {
  ...SWEEP_OPTIONS,
  everyMs: true,
  signal: true,
};

export const WAIT_OPTIONS: KeysOf<WaitOptions> = { signal: true, timeoutMs: true };

/** Validates the option with the person who executes an operation. */
export function checkBy(method: string, options: ByOption): ByOption {
  checkOptions<ByOption>(`\`desk.${method}\``, options, { by: true });
  return options;
}

/** Validates the option with a person who need not be known, and returns the person. */
export function checkOptionalBy(method: string, options: Partial<ByOption>): Person | undefined {
  checkOptions<Partial<ByOption>>(`\`desk.${method}\``, options, { by: true });
  const { by } = options;
  return by === undefined ? undefined : checkPerson('the person who acts', by);
}

/** Validates a prompt. Without one, a run would call tools that its history suggests. */
export function requirePrompt(method: string, prompt: UserPrompt): void {
  const given: unknown = prompt;
  if (typeof given === 'string' || Array.isArray(given)) return;
  throw new UserError(`The prompt of \`desk.${method}\` is ${kindOf(given)}. Pass a text.`);
}

/** Validates the digest of a decision. */
export function requireDigest(digest: string): void {
  const given: unknown = digest;
  if (typeof given === 'string' && given !== '') return;
  throw new UserError(
    'The decision has no `digest`, so it is not known what the approver was shown. Pass the `digest` of the hold as it was shown.',
  );
}

/** Validates an optional signal. */
export function requireSignal(method: string, signal: AbortSignal | undefined): void {
  const given: unknown = signal;
  if (given === undefined || given instanceof AbortSignal) return;
  throw new UserError(
    `The \`signal\` of \`desk.${method}\` is ${kindOf(given)}. Pass the signal of an \`AbortController\`.`,
  );
}

/** Validates an option with a fixed set of values. */
export function requireOneOf(option: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new UserError(`\`${option}\` is ${kindOf(value)}. ${adviceFor(shownValue(value), known)}`);
}
