import { type JsonObject, UserError, type UserPrompt } from 'holdpoint';
import type { Engine } from '../engine/engine.ts';
import type { NextPerformance } from '../worker/next-performance.ts';
import type { MayDecide } from '../approvers/policy.ts';
import type { CallbackOptions, CallbackResult } from '../links/callback.ts';
import type { DecisionLink, DecisionLinkOptions } from '../links/decision-link.ts';
import { makeLink } from '../links/make-link.ts';
import { revokeLink } from '../links/revoke-link.ts';
import { useLink } from '../links/use-link.ts';
import { checkOptions, checkSwitch } from '../model/check-keys.ts';
import type { Decision } from '../model/decision-row.ts';
import type { CommentRow } from '../model/comment-row.ts';
import type { DelegationRow } from '../model/delegation-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { RunRow } from '../model/run-row.ts';
import { type DeadLetter, TASK_KINDS, type TaskRow } from '../model/task-row.ts';
import type { DeskRequest } from '../requests/read-request.ts';
import { applyRetention, type RetentionReport } from '../retention/apply-retention.ts';
import {
  eraseConversation,
  erasePerson,
  type ErasureOptions,
  type ErasureReport,
  type PersonErasureReport,
} from '../retention/erase.ts';
import { commentHold } from '../transitions/comment-hold.ts';
import { createDelegation, revokeDelegation } from '../transitions/delegate.ts';
import { cancelRun } from '../transitions/cancel-run.ts';
import { discardTask, replayTask } from '../transitions/replay-task.ts';
import { retryRun } from '../transitions/retry-run.ts';
import { revokeGrant } from '../transitions/revoke-grant.ts';
import { acceptPrompt, acceptRun } from './accept-prompt.ts';
import { acceptCallback, createCallback } from './callbacks.ts';
import { checkComment } from './check-comment.ts';
import { checkDelegation } from './check-delegation.ts';
import { checkDecision, checkErasure, checkPerson, checkRoles } from './check-decision.ts';
import { checkName } from './check-name.ts';
import { checkId } from './check-query.ts';
import { checkWhole } from '../model/check-whole.ts';
import type { DeskContext } from './desk-context.ts';
import { DeskKeys } from './desk-keys.ts';
import { DeskRequests } from './desk-requests.ts';
import {
  type ByOption,
  checkBy,
  checkOptionalBy,
  type DelegateOptions,
  type DecideOptions,
  LINK_OPTIONS,
  type MessageOptions,
  requireOneOf,
  type StartOptions,
  type PerformOptions,
  type SweepLoopOptions,
  type SweepOptions,
  type WorkerOptions,
} from './method-options.ts';
import { type PerformedTask, performTask, runSweeps, sweepTasks, useEngine } from './perform.ts';
import { isRestriction, restrictedBy } from './policies.ts';
import type { NewRequestOptions } from './request-options.ts';
import { recordDecision } from './record-decision.ts';
import { reportingSettled, reportSettled } from './settled-holds.ts';
import { DeskReader } from './desk-reader.ts';
import { runWorker, workOn } from './work.ts';
/**
 * The runs and holds of one tenant. `openDesk` creates it.
 *
 * @typeParam Name - The names of the agents.
 * @typeParam Run - The runs of the agents, with the types of their outputs.
 * @typeParam OutsideTool - The names of the tools in `requests.tools`.
 */
export class Desk<
  Name extends string = string,
  Run extends RunRow = RunRow,
  OutsideTool extends string = string,
> extends DeskReader<Name, Run> {
  readonly #context: DeskContext;

  /** @internal Use `openDesk`. */
  constructor(tenant: string, context: DeskContext) {
    super(tenant, context);
    this.#context = context;
  }

  /**
   * Returns the same desk for another tenant. Everything but work is limited to that tenant: `drain` and
   * `startWorker` execute the tasks of all tenants.
   */
  forTenant(tenant: string): Desk<Name, Run, OutsideTool> {
    return new Desk(tenant, this.#context);
  }

  /** Returns the same desk with further rules. Both its own rules and these must be met. */
  restrictedBy(rules: {
    readonly mayDecide?: MayDecide | undefined;
    readonly notRequester?: boolean | undefined;
  }): Desk<Name, Run, OutsideTool> {
    if (!isRestriction(rules)) return this;
    const policy = restrictedBy(this.#context.policy, rules);
    return new Desk(this.tenant, { ...this.#context, policy });
  }

  /** The requests from outside: read, cancel, claim and settle them. */
  get requests(): DeskRequests {
    return new DeskRequests(this.tenant, this.#context);
  }

  /**
   * Requests a decision about a call that another program executes. Approvers decide it like any hold. After the approval,
   * `requests.claim` returns the arguments to execute, once.
   */
  request(tool: OutsideTool, args: JsonObject, options: NewRequestOptions): Promise<DeskRequest> {
    return this.requests.create(tool, args, options);
  }

  /** The keys of the service accounts of the tenant. */
  get keys(): DeskKeys {
    return new DeskKeys(this.#context.store, this.tenant);
  }

  /**
   * Creates an address at which a program supplies the result of an external call by `POST`, once, as `{ value }` or
   * `{ error }`. It needs the `url` of the desk. The address is a secret.
   */
  async callbackUrl(holdId: string, options: CallbackOptions = {}): Promise<string> {
    return (await createCallback(this.#context, this.tenant, holdId, options)).url;
  }

  /**
   * Records a result with the token of a callback address of any tenant. Returns the hold of an external call, and
   * `undefined` for the claim of a request.
   */
  useCallback(token: string, result: CallbackResult): Promise<HoldRow | undefined> {
    return acceptCallback(this.#context, token, result);
  }

  /** Stores a new run, which a worker executes, and returns its id. */
  start(agent: Name, prompt: UserPrompt, options: StartOptions = {}): Promise<string> {
    return acceptRun(this.#context, this.tenant, agent, prompt, options);
  }

  /**
   * Adds a message to a conversation: to its parked run, or with a new run of the agent that it had last.
   * Returns the id of the run that receives it.
   */
  message(
    conversationId: string,
    prompt: UserPrompt,
    options: MessageOptions = {},
  ): Promise<string> {
    return reportingSettled(
      this.#context,
      async (tx) => {
        const run = await tx.runs.liveIn(this.tenant, conversationId);
        return run && [this.tenant, run.id];
      },
      () => acceptPrompt(this.#context, this.tenant, conversationId, prompt, options),
    );
  }

  /**
   * Records a decision about a hold. The hold is decided when its requirement is met, which is one approval unless
   * a policy demands more; one denial decides. A decision about a settled hold is rejected with a
   * `HoldSettledError`. When all holds of a run are settled, the run is ready to resume.
   */
  decide(holdId: string, decision: Decision, options: DecideOptions): Promise<HoldRow> {
    return recordDecision(this.#context, this.tenant, holdId, decision, options);
  }

  /** Adds a comment to a hold, for the people who decide it. It decides nothing, and the model does not see it. */
  async comment(holdId: string, text: string, options: ByOption): Promise<CommentRow> {
    const by = checkPerson('the author of the comment', checkBy('comment', options).by);
    const comment = { by, text: checkComment(text) };
    return commentHold(this.#context.store, this.tenant, checkId('holdId', holdId), comment);
  }

  /**
   * Lets a person decide holds on behalf of another one until a time. The delegate passes `onBehalfOf` to `decide`. The
   * application must verify that `by` may do this.
   */
  async delegate(options: DelegateOptions): Promise<DelegationRow> {
    return createDelegation(this.#context.store, this.tenant, checkDelegation(options));
  }

  /** Revokes a delegation. Votes that were given with it stay. */
  async revokeDelegation(delegationId: string, options: ByOption): Promise<DelegationRow> {
    const by = checkPerson('the person who revokes', checkBy('revokeDelegation', options).by);
    const id = checkId('delegationId', delegationId);
    return revokeDelegation(this.#context.store, this.tenant, id, by);
  }

  /** Revokes a grant: it approves no more calls. */
  async revokeGrant(grantId: string, options: ByOption): Promise<GrantRow> {
    const by = checkPerson('the person who revokes', checkBy('revokeGrant', options).by);
    return revokeGrant(this.#context.store, this.tenant, checkId('grantId', grantId), by);
  }

  /**
   * Creates a link with which one person can decide the current hold, once. Opening it decides
   * nothing: its page shows the call and buttons. It needs the `url` of the desk.
   */
  async decisionLink(holdId: string, options: DecisionLinkOptions): Promise<DecisionLink> {
    if (this.url === undefined) {
      throw new UserError('A link needs the address of the desk. Pass `url` to `openDesk`.');
    }
    checkOptions<DecisionLinkOptions>('`desk.decisionLink`', options, LINK_OPTIONS);
    const { decision } = options;
    if (decision !== undefined) requireOneOf('decision', decision, ['approve', 'deny']);
    const person = checkPerson('the person who gets the link', options.for);
    const given = { ...options, for: person, roles: checkRoles(options.roles ?? []) };
    const hold = checkId('holdId', holdId);
    const { row, token } = await makeLink(this.#context.store, this.tenant, hold, given);
    const { id, expiresAt } = row;
    return Object.freeze({ id, url: `${this.url}/links/${token}`, expiresAt });
  }

  /** Revokes a decision link that was not used yet, by its id. */
  async revokeLink(linkId: string, options: Partial<ByOption> = {}): Promise<void> {
    const person = checkOptionalBy('revokeLink', options);
    await revokeLink(this.#context.store, this.tenant, checkId('linkId', linkId), person);
  }

  /** Records a decision with a link of this tenant. The link cannot be used again. */
  async decideByLink(token: string, decision: Decision): Promise<HoldRow> {
    const deps = { ...this.#context, tenant: this.tenant };
    const hold = await useLink(deps, checkId('token', token), checkDecision(decision));
    await reportSettled(this.#context, hold);
    return hold;
  }

  /** Makes a dead letter due again, with all of its attempts. A stuck run is retried. */
  async replayDeadLetter(
    letter: Pick<DeadLetter, 'kind' | 'id'>,
    options: ByOption,
  ): Promise<void> {
    const by = checkPerson('the person who replays', checkBy('replayDeadLetter', options).by);
    await replayTask(this.#context.store, taskOf(this.tenant, letter), by);
  }

  /**
   * Deletes the dead letter of a notification or a webhook. Cancel a stuck run and replay an expiry instead.
   */
  async discardDeadLetter(
    letter: Pick<DeadLetter, 'kind' | 'id'>,
    options: ByOption,
  ): Promise<void> {
    const by = checkPerson('the person who discards', checkBy('discardDeadLetter', options).by);
    await discardTask(this.#context.store, taskOf(this.tenant, letter), by);
  }

  /** Cancels a run in any state: no further call starts. */
  async cancel(runId: string, options: ByOption): Promise<RunRow> {
    const by = checkPerson('the person who cancels', checkBy('cancel', options).by);
    const id = checkId('runId', runId);
    return reportingSettled(
      this.#context,
      async () => [this.tenant, id],
      () => cancelRun(this.#context.store, this.tenant, id, by),
    );
  }

  /** Resets the attempts of a stuck run, and makes it ready for a worker. */
  async retry(runId: string, options: ByOption): Promise<RunRow> {
    const by = checkPerson('the person who retries', checkBy('retry', options).by);
    return retryRun(this.#context.store, this.tenant, checkId('runId', runId), by);
  }

  /**
   * Executes a run in this process until it parks, ends, or has to wait. It has no effect if
   * another worker has the run or the run is not due, so you can call it any number of times.
   */
  async work(options: { readonly runId: string }): Promise<Run> {
    // A run has the output of its agent.
    return (await workOn(this.#context, this.tenant, options)) as Run;
  }

  /** Executes all tasks that are due, of all tenants, in this process. Returns their number. */
  async drain(): Promise<number> {
    let done = 0;
    while (await this.#context.worker.performNext()) done += 1;
    return done;
  }

  /**
   * Deletes the messages, holds, decisions, grants and contents of all runs of a conversation. The audit stays,
   * and records who erased the data, and why. A conversation with a live run is rejected as
   * `conversation-busy`.
   */
  async eraseConversation(conversationId: string, options: ErasureOptions): Promise<ErasureReport> {
    const id = checkName('conversationId', conversationId);
    const scope = { tenant: this.tenant, conversationId: id };
    return eraseConversation(
      this.#context.store,
      scope,
      checkErasure('eraseConversation', options),
    );
  }

  /**
   * Erases a person: the conversations of which they are a requester, their sessions and links, and
   * their id and name in decisions, grants and audit entries. The audit stays verifiable. Live runs
   * are not changed, and are returned in `pendingRuns`.
   */
  async erasePerson(personId: string, options: ErasureOptions): Promise<PersonErasureReport> {
    const person = { id: checkName('personId', personId) };
    const checked = checkErasure('erasePerson', options);
    return erasePerson(this.#context.store, this.tenant, person, checked);
  }

  /**
   * Deletes everything that is older than the option `retention` permits, of all tenants, in this process. With
   * `dryRun` it deletes nothing and returns the same counts. Nothing pending is deleted.
   */
  async applyRetention(
    options: { readonly dryRun?: boolean | undefined } = {},
  ): Promise<RetentionReport> {
    checkOptions<{ readonly dryRun?: boolean }>('`desk.applyRetention`', options, { dryRun: true });
    const { store, retention } = this.#context;
    return applyRetention(store, retention, { dryRun: checkSwitch('dryRun', options.dryRun) });
  }

  /**
   * Records that the database was restored from a backup, of all tenants. The backup lacks later executions, so
   * runs from before are not resumed: they become stuck with the code `step-forgotten`. Call it before a worker
   * starts. `time` is the time of the restore; now unless given.
   */
  async markRestoredFromBackup(time?: number | undefined): Promise<void> {
    const { store } = this.#context;
    const at = time === undefined ? await store.read((tx) => tx.now()) : checkWhole('time', time);
    await store.markRestoredFromBackup(at);
  }

  /**
   * Starts a worker, which executes tasks of all tenants. The promise resolves when the worker has stopped: after
   * `signal` aborts, or after `close`.
   *
   * @example
   * void desk.startWorker()
   * process.once('SIGTERM', () => desk.close())
   */
  async startWorker(options: WorkerOptions = {}): Promise<void> {
    await runWorker(this.#context, options);
  }

  /**
   * Notifies an engine of due tasks from now on, so that it gets them performed in any process. Returns the function
   * that stops it. Workers and engines can share a desk.
   */
  useEngine(engine: Engine): () => void {
    return useEngine(this.#context, engine);
  }

  /**
   * Performs a task of any tenant in this process, for an engine: it executes a run until it parks, ends or has to
   * wait, or expires a hold, or delivers an event. It does nothing if another performer has the task, so it can be
   * called any number of times. Returns when to call it again; `undefined` if the task is not due until it is
   * scheduled again.
   */
  async perform(task: PerformedTask, options: PerformOptions): Promise<NextPerformance> {
    return performTask(this.#context, task, options);
  }

  /**
   * Schedules tasks of all tenants again that have been due for a while: hints to an engine may be lost, and processes
   * die. Returns their number. Call it every few seconds, or use `startSweep`.
   */
  sweep(options: SweepOptions = {}): Promise<number> {
    return sweepTasks(this.#context, options);
  }

  /** Sweeps every few seconds until `signal` aborts or the desk is closed, and applies the retention. */
  async startSweep(options: SweepLoopOptions = {}): Promise<void> {
    await runSweeps(this.#context, options);
  }

  /** Stops the workers of this process, waits until they have stopped, and closes the store. */
  async close(): Promise<void> {
    const { workers, store, streams, stopObserving } = this.#context;
    stopObserving();
    streams.close();
    await workers.stop();
    await store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function taskOf(
  tenant: string,
  letter: Pick<DeadLetter, 'kind' | 'id'>,
): Pick<TaskRow, 'tenant' | 'kind' | 'id'> {
  // Programs without types may pass nothing.
  const { kind, id } = Object(letter) as Pick<DeadLetter, 'kind' | 'id'>;
  requireOneOf('kind', kind, TASK_KINDS);
  return { tenant, kind, id: checkName('id', id) };
}
