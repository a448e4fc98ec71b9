import { type JsonObject, type Message, UserError, type UserPrompt } from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import type { Engine } from '../engine/engine.ts';
import type { NextPerformance } from '../worker/next-performance.ts';
import { whyNotApprove } from '../approvers/eligibility.ts';
import { type MayDecide, whyNotDecide, withRequirementNow } from '../approvers/policy.ts';
import type { DecisionLink, DecisionLinkOptions, OpenedLink } from '../links/decision-link.ts';
import { makeLink } from '../links/make-link.ts';
import { openLink, tenantOfLink } from '../links/open-link.ts';
import { revokeLink } from '../links/revoke-link.ts';
import { useLink } from '../links/use-link.ts';
import type { AuditRow } from '../model/audit-row.ts';
import { checkOptions, checkSwitch } from '../model/check-keys.ts';
import type { Decision } from '../model/decision-row.ts';
import type { DeliveryRow } from '../model/delivery-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { GrantQuery, HoldQuery, Page, PageQuery, RunQuery } from '../model/page.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import { type DeadLetter, TASK_KINDS } from '../model/task-row.ts';
import { applyRetention, type RetentionReport } from '../retention/apply-retention.ts';
import {
  eraseConversation,
  erasePerson,
  type ErasureOptions,
  type ErasureReport,
  type PersonErasureReport,
} from '../retention/erase.ts';
import { exportConversation, type ExportedRecord, exportPerson } from '../retention/export.ts';
import type { RunStreamEvent, RunStreamOptions } from '../stream/run-stream-event.ts';
import { cancelRun } from '../transitions/cancel-run.ts';
import { notFound } from '../transitions/not-found.ts';
import { discardTask, replayTask } from '../transitions/replay-task.ts';
import { retryRun } from '../transitions/retry-run.ts';
import { revokeGrant } from '../transitions/revoke-grant.ts';
import { acceptPrompt, acceptRun } from './accept-prompt.ts';
import { checkDecision, checkErasure, checkPerson, checkRoles } from './check-decision.ts';
import { checkName } from './check-name.ts';
import { checkWhole } from './check-whole.ts';
import type { DeskContext } from './desk-context.ts';
import { HistoryWriter } from './history-writer.ts';
import {
  type ApproverRights,
  type ByOption,
  checkBy,
  type DecideOptions,
  type HoldWithDecisions,
  LINK_OPTIONS,
  type MessageOptions,
  requireOneOf,
  type StartOptions,
  type PerformOptions,
  type SweepLoopOptions,
  type SweepOptions,
  type WaitOptions,
  type WorkerOptions,
} from './method-options.ts';
import { type PerformedTask, performTask, runSweeps, sweepTasks, useEngine } from './perform.ts';
import { restrictedBy } from './policies.ts';
import type { EditPreview } from './preview-edit.ts';
import { describeEdit, readHold, recordDecision } from './record-decision.ts';
import { reportingSettled, reportSettled } from './settled-holds.ts';
import { streamRun } from './stream-run.ts';
import { readRun, runWorker, waitForRun, workOn } from './work.ts';

const contexts = new WeakMap<Desk, DeskContext>();

/** Returns the parts that the desks of all tenants share. It is not a part of the API of a desk. */
export function contextOf(desk: Desk): DeskContext {
  const found = contexts.get(desk);
  if (found === undefined) throw new UserError('This is not a desk. Pass what `openDesk` returns.');
  return found;
}

/**
 * The runs and holds of one tenant. `openDesk` creates it.
 *
 * @typeParam Name - The names of the agents.
 * @typeParam Run - The runs of the agents, with the types of their outputs.
 */
export class Desk<Name extends string = string, Run = RunRow> {
  readonly tenant: string;
  /** The address of the desk, without a slash at the end; `undefined` if the option `url` is missing. */
  readonly url: string | undefined;
  readonly #context: DeskContext;

  /** @internal Use `openDesk`. */
  constructor(tenant: string, context: DeskContext) {
    this.tenant = checkName('tenant', tenant);
    this.url = context.url;
    this.#context = context;
    // The outputs are only known to the types.
    contexts.set(this as unknown as Desk, context);
  }

  /**
   * Returns the same desk for another tenant. Everything but work is limited to that tenant: `drain` and
   * `startWorker` execute the tasks of all tenants.
   */
  forTenant(tenant: string): Desk<Name, Run> {
    return new Desk(tenant, this.#context);
  }

  /** Returns the same desk with further rules. Both its own rules and these must be met. */
  restrictedBy(rules: {
    readonly mayDecide?: MayDecide | undefined;
    readonly notRequester?: boolean | undefined;
  }): Desk<Name, Run> {
    if (rules.mayDecide === undefined && !rules.notRequester) return this;
    const policy = restrictedBy(this.#context.policy, rules);
    return new Desk(this.tenant, { ...this.#context, policy });
  }

  /** The names of the agents. */
  get agents(): readonly Name[] {
    // `openDesk` was called with these names.
    return [...this.#context.names] as Name[];
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

  /**
   * Returns why an approver may not decide a hold now, and why they may not approve its proposal. It writes
   * nothing; `decide` evaluates the same again.
   */
  async rightsOf(
    hold: HoldRow,
    approver: { readonly by: Person; readonly roles?: readonly string[] | undefined },
    runOf: () => Promise<RunRow> = () => readRun(this.#context, this.tenant, hold.runId),
  ): Promise<ApproverRights> {
    const { policy } = this.#context;
    const now = withRequirementNow(policy, hold);
    const reason = await whyNotDecide(policy, now, approver, runOf);
    return { whyNotDecide: reason, whyNotApprove: reason ?? whyNotApprove(now, approver.by) };
  }

  /**
   * Previews an edit, and writes nothing: problems of the arguments, the validated arguments that would
   * execute, their preview, and the requirement of the policy for them. Show it to the approver, and pass its
   * `shown` to `decide`.
   */
  async previewEdit(holdId: string, args: JsonObject): Promise<EditPreview> {
    const hold = await this.hold(holdId);
    const { described: _, ...preview } = await describeEdit(this.#context, hold, args);
    return Object.freeze(preview);
  }

  /** Lists grants, the latest first. */
  grants(query: GrantQuery = {}): Promise<Page<GrantRow>> {
    const { store } = this.#context;
    return store.read(async (tx) => tx.grants.list(this.tenant, query, await tx.now()));
  }

  /** Returns a grant. */
  async grant(grantId: string): Promise<GrantRow> {
    const grant = await this.#context.store.read((tx) => tx.grants.get(this.tenant, grantId));
    if (grant === undefined) throw notFound('grant', grantId);
    return grant;
  }

  /** Revokes a grant: it approves no more calls. */
  async revokeGrant(grantId: string, options: ByOption): Promise<GrantRow> {
    const by = checkPerson('the person who revokes', checkBy('revokeGrant', options).by);
    return revokeGrant(this.#context.store, this.tenant, grantId, by);
  }

  /**
   * Creates a link with which one person can decide a hold as it is now, once. Opening it changes nothing: its
   * page shows the call, and buttons. It needs the `url` of the desk.
   */
  async decisionLink(holdId: string, options: DecisionLinkOptions): Promise<DecisionLink> {
    if (this.url === undefined) {
      throw new UserError('A link needs the address of the desk. Pass `url` to `openDesk`.');
    }
    checkOptions<DecisionLinkOptions>('`desk.decisionLink`', options, LINK_OPTIONS);
    const { decision } = options;
    if (decision !== undefined) requireOneOf('decision', decision, ['approve', 'deny']);
    const person = checkPerson('the person who gets the link', options.for);
    const roles = checkRoles(options.roles ?? []);
    const given = { ...options, for: person, roles };
    const { row, token } = await makeLink(this.#context.store, this.tenant, holdId, given);
    const { id, expiresAt } = row;
    return Object.freeze({ id, url: `${this.url}/links/${token}`, expiresAt });
  }

  /** Revokes a decision link that was not used yet, by its id. */
  revokeLink(linkId: string, { by }: Partial<ByOption> = {}): Promise<void> {
    const person = by && checkPerson('the person who revokes', by);
    return revokeLink(this.#context.store, this.tenant, linkId, person);
  }

  /** Returns the tenant of a decision link by its token; `undefined` if there is no such link. */
  tenantOfLink(token: string): Promise<string | undefined> {
    return tenantOfLink(this.#context.store, token);
  }

  /** Returns a decision link of this tenant and its hold, by its token. It changes nothing. */
  openLink(token: string): Promise<OpenedLink | undefined> {
    return openLink(this.#context.store, this.tenant, token);
  }

  /** Records a decision with a link of this tenant. The link cannot be used again. */
  async decideByLink(token: string, decision: Decision): Promise<HoldRow> {
    const { store, policy } = this.#context;
    const deps = { store, policy, tenant: this.tenant };
    const hold = await useLink(deps, token, checkDecision(decision));
    await reportSettled(this.#context, hold);
    return hold;
  }

  /** Lists the webhooks about an event, with their states. */
  deliveries(eventId: string): Promise<readonly DeliveryRow[]> {
    return this.#context.store.read((tx) => tx.deliveries.ofEvent(this.tenant, eventId));
  }

  /** Lists the tasks that were given up after too many attempts, the oldest first. */
  async deadLetters(query: PageQuery = {}): Promise<Page<DeadLetter>> {
    const page = await this.#context.store.read((tx) => tx.tasks.givenUp(this.tenant, query));
    const items = page.items.map(({ kind, id, queue, attempts, problem, givenUpAt = 0 }) =>
      Object.freeze({ kind, id, queue, attempts, problem, givenUpAt }),
    );
    return { ...page, items };
  }

  /** Makes a dead letter due again, with all of its attempts. A stuck run is retried. */
  async replayDeadLetter(
    { kind, id }: Pick<DeadLetter, 'kind' | 'id'>,
    options: ByOption,
  ): Promise<void> {
    const by = checkPerson('the person who replays', checkBy('replayDeadLetter', options).by);
    requireOneOf('kind', kind, TASK_KINDS);
    const name = { tenant: this.tenant, kind, id: checkName('id', id) };
    await replayTask(this.#context.store, name, by);
  }

  /**
   * Deletes a notification or a webhook that was given up. A stuck run is cancelled instead, and an expiry is
   * replayed.
   */
  async discardDeadLetter(
    { kind, id }: Pick<DeadLetter, 'kind' | 'id'>,
    options: ByOption,
  ): Promise<void> {
    const by = checkPerson('the person who discards', checkBy('discardDeadLetter', options).by);
    requireOneOf('kind', kind, TASK_KINDS);
    const name = { tenant: this.tenant, kind, id: checkName('id', id) };
    await discardTask(this.#context.store, name, by);
  }

  /** Cancels a run in any state: no further call starts. */
  async cancel(runId: string, options: ByOption): Promise<RunRow> {
    const by = checkPerson('the person who cancels', checkBy('cancel', options).by);
    return reportingSettled(
      this.#context,
      async () => [this.tenant, runId],
      () => cancelRun(this.#context.store, this.tenant, runId, by),
    );
  }

  /** Resets the attempts of a stuck run, and makes it ready for a worker. */
  async retry(runId: string, options: ByOption): Promise<RunRow> {
    const by = checkPerson('the person who retries', checkBy('retry', options).by);
    return retryRun(this.#context.store, this.tenant, runId, by);
  }

  /** Returns a run. Its `agent` determines the type of its `output`. */
  async run(runId: string): Promise<Run> {
    // A run has the output of its agent.
    return (await readRun(this.#context, this.tenant, runId)) as Run;
  }

  /** Lists runs, the latest first. */
  runs(query: RunQuery = {}): Promise<Page<RunRow>> {
    return this.#context.store.read((tx) => tx.runs.list(this.tenant, query));
  }

  /** Returns a hold with the decisions about it. */
  hold(holdId: string): Promise<HoldWithDecisions> {
    return readHold(this.#context, this.tenant, holdId);
  }

  /** Lists holds, the oldest first; open ones unless `states` is given. */
  holds(query: HoldQuery = {}): Promise<Page<HoldRow>> {
    const { store, redaction } = this.#context;
    // Other search texts may contain values that the rules of this desk redact.
    const isLimited = query.text !== undefined && !redaction.isEmpty;
    const redactionRules = isLimited ? redaction.fingerprint : undefined;
    const wanted = { states: ['open'] as const, ...query, redactionRules };
    return store.read((tx) => tx.holds.list(this.tenant, wanted));
  }

  /** Lists open holds that contain a text: in the tool's name, the arguments, the preview or the requester. */
  search(text: string, query: HoldQuery = {}): Promise<Page<HoldRow>> {
    return this.holds({ ...query, text });
  }

  /** Returns the messages of a conversation, without the records that the framework added to them. */
  async history(conversationId: string): Promise<readonly Message[]> {
    const id = checkName('conversationId', conversationId);
    const rows = await this.#context.store.read((tx) => tx.messages.from(this.tenant, id, 0));
    return new HistoryWriter(rows).loaded.map(withoutStepRecord);
  }

  /** Lists the audit of a run, in order; `after` is the number of the last known entry. */
  audit(runId: string, after = 0, limit = 1_000): Promise<readonly AuditRow[]> {
    return this.#context.store.read((tx) => tx.audit.ofRun(this.tenant, runId, after, limit));
  }

  /**
   * Lists events, in order. No event is ever added before one that was listed, so a reader that resumes
   * after its last event, with `eventCursor`, misses none.
   */
  events(query: PageQuery = {}): Promise<Page<OutboxRow>> {
    return this.#context.store.read((tx) => tx.outbox.list(this.tenant, query));
  }

  /** Returns the last event that can be listed; `undefined` if there is none yet. */
  latestEvent(): Promise<OutboxRow | undefined> {
    return this.#context.store.read((tx) => tx.outbox.latest(this.tenant));
  }

  /** Returns whether there are events that cannot be listed yet, because an older transaction has not ended. */
  isWithholdingEvents(): Promise<boolean> {
    return this.#context.store.read((tx) => tx.outbox.isWithholding(this.tenant));
  }

  /** Calls `listener` when the tenant may have new events. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    return this.#context.store.onDue(({ tenants }) => {
      if (tenants === 'all' || tenants.includes(this.tenant)) listener();
    });
  }

  /**
   * Executes a run in this process until it parks, ends, or has to wait. It does nothing if another worker has
   * the run or there is nothing to do, so it can be called any number of times.
   */
  async work(options: { readonly runId: string }): Promise<Run> {
    // A run has the output of its agent.
    return (await workOn(this.#context, this.tenant, options)) as Run;
  }

  /**
   * Resolves with a run when it is parked, finished, failed, cancelled or stuck. A worker must execute it, in this
   * process or in another. It rejects with the reason of `signal`, or with a `TimeoutError` after `timeoutMs`.
   */
  async waitFor(runId: string, options: WaitOptions = {}): Promise<Run> {
    // A run has the output of its agent.
    return (await waitForRun(this.#context, this.tenant, runId, options)) as Run;
  }

  /**
   * Yields the events of a run: its stored messages, its state, and then everything from now on, each once. Text is
   * live if the run executes in this process. Messages of runs that execute elsewhere follow step by step.
   *
   * The stream ends when the run parks, is stuck or ends. The run never waits for its readers. Leave the loop, or abort
   * `signal`, to end the stream before.
   */
  async *stream(
    runId: string,
    options: RunStreamOptions = {},
  ): AsyncGenerator<RunStreamEvent<Run>, void> {
    // A run has the output of its agent.
    yield* streamRun(this.#context, this.tenant, runId, options) as AsyncGenerator<
      RunStreamEvent<Run>,
      void
    >;
  }

  /** Executes all tasks that are due, of all tenants, in this process. Returns their number. */
  async drain(): Promise<number> {
    let done = 0;
    while (await this.#context.worker.doNext()) done += 1;
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
   * Erases a person: the conversations of which they are a requester, their sessions and links, and their id
   * and name in decisions, grants and audit entries. The audit stays verifiable. Live runs are left as they are
   * and returned in `pendingRuns`.
   */
  async erasePerson(personId: string, options: ErasureOptions): Promise<PersonErasureReport> {
    const person = { id: checkName('personId', personId) };
    const checked = checkErasure('erasePerson', options);
    return erasePerson(this.#context.store, this.tenant, person, checked);
  }

  /** Yields everything that is stored about a conversation, without redaction. */
  exportConversation(conversationId: string): AsyncGenerator<ExportedRecord> {
    const id = checkName('conversationId', conversationId);
    const scope = { tenant: this.tenant, conversationId: id };
    return exportConversation(this.#context.store, scope);
  }

  /** Yields everything that is stored about a person, without redaction. */
  exportPerson(personId: string): AsyncGenerator<ExportedRecord> {
    const person = { id: checkName('personId', personId) };
    return exportPerson(this.#context.store, this.tenant, person);
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
