import { type JsonObject, type Message, UserError } from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { type ActingApprover, delegatorOf } from '../approvers/delegated.ts';
import { whyNotApprove } from '../approvers/eligibility.ts';
import { escalatedAt, stepsOf } from '../approvers/hold-timer.ts';
import { whyNotDecide, withRequirementNow } from '../approvers/policy.ts';
import type { SimulatedHold } from '../approvers/simulate-policy.ts';
import type { OpenedLink } from '../links/decision-link.ts';
import { openLink, tenantOfLink } from '../links/open-link.ts';
import type { AuditRow } from '../model/audit-row.ts';
import { kindOf } from '../model/check-keys.ts';
import type { CommentRow } from '../model/comment-row.ts';
import type { DelegationRow, Delegator } from '../model/delegation-row.ts';
import type { DeliveryRow } from '../model/delivery-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type {
  DelegationQuery,
  GrantQuery,
  HoldQuery,
  Page,
  PageQuery,
  RunQuery,
} from '../model/page.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { DeadLetter } from '../model/task-row.ts';
import { exportConversation, type ExportedRecord, exportPerson } from '../retention/export.ts';
import type { RunStreamEvent, RunStreamOptions } from '../stream/run-stream-event.ts';
import { notFound } from '../transitions/not-found.ts';
import { checkPerson } from './check-decision.ts';
import { checkName } from './check-name.ts';
import { checkWhole } from '../model/check-whole.ts';
import {
  checkDelegationQuery,
  checkGrantQuery,
  checkHoldQuery,
  checkId,
  checkPageQuery,
  checkRunQuery,
} from './check-query.ts';
import type { DeskContext } from './desk-context.ts';
import { HistoryWriter } from './history-writer.ts';
import type { ApproverRights, HoldWithDecisions, WaitOptions } from './method-options.ts';
import type { EditPreview } from './preview-edit.ts';
import { describeEdit, readHold } from './record-decision.ts';
import { readRequestedChanges, type RequestedChanges } from './requested-changes.ts';
import { simulatePolicy, type SimulatePolicyOptions } from './simulate-policy.ts';
import { streamRun } from './stream-run.ts';
import { readRun, waitForRun } from './work.ts';

const contexts = new WeakMap<object, DeskContext>();

/** Returns the parts that the desks of all tenants share. It is not a part of the API of a desk. */
export function contextOf(desk: object): DeskContext {
  const found = contexts.get(desk);
  if (found === undefined) throw new UserError('This is not a desk. Pass what `openDesk` returns.');
  return found;
}

/**
 * The stored runs and holds of one tenant. Its methods only read. Every desk is one, and `openDesk` creates it.
 *
 * @typeParam Name - The names of the agents.
 * @typeParam Run - The runs of the agents, with the types of their outputs.
 */
export class DeskReader<Name extends string = string, Run extends RunRow = RunRow> {
  readonly tenant: string;
  /** The address of the desk, without a slash at the end; `undefined` if the option `url` is missing. */
  readonly url: string | undefined;
  readonly #context: DeskContext;

  /** @internal Use `openDesk`. */
  constructor(tenant: string, context: DeskContext) {
    this.tenant = checkName('tenant', tenant);
    this.url = context.url;
    this.#context = context;
    contexts.set(this, context);
  }

  /** The names of the agents. */
  get agents(): readonly Name[] {
    // `openDesk` was called with these names.
    return [...this.#context.names] as Name[];
  }

  /** Returns a run. Its `agent` determines the type of its `output`. */
  async run(runId: string): Promise<Run> {
    // A run has the output of its agent.
    return (await readRun(this.#context, this.tenant, checkId('runId', runId))) as Run;
  }

  /** Lists runs, the latest first. */
  async runs(query: RunQuery = {}): Promise<Page<RunRow>> {
    const checked = checkRunQuery(query);
    return this.#context.store.read((tx) => tx.runs.list(this.tenant, checked));
  }

  /** Returns a hold with the decisions about it. */
  async hold(holdId: string): Promise<HoldWithDecisions> {
    return readHold(this.#context, this.tenant, checkId('holdId', holdId));
  }

  /** Returns the comments on a hold, the oldest first. */
  comments(holdId: string): Promise<readonly CommentRow[]> {
    const id = checkId('holdId', holdId);
    return this.#context.store.read((tx) => tx.comments.ofHold(this.tenant, id));
  }

  /**
   * Returns the requested changes for a hold and for earlier calls of the same tool in its run,
   * with the responses of the model. The oldest is first.
   */
  requestedChanges(holdId: string): Promise<readonly RequestedChanges[]> {
    const id = checkId('holdId', holdId);
    return readRequestedChanges(this.#context.store, this.tenant, id);
  }

  /** Lists holds, the oldest first; open ones unless `states` is given. */
  async holds(query: HoldQuery = {}): Promise<Page<HoldRow>> {
    const { store, redaction } = this.#context;
    const checked = checkHoldQuery(query);
    // Other search texts may contain values that the rules of this desk redact.
    const isLimited = query.text !== undefined && !redaction.isEmpty;
    const redactionRules = isLimited ? redaction.fingerprint : undefined;
    const wanted = { states: ['open'] as const, ...checked, redactionRules };
    return store.read((tx) => tx.holds.list(this.tenant, wanted));
  }

  /** Returns the messages of a conversation, without the records that the framework added to them. */
  async history(conversationId: string): Promise<readonly Message[]> {
    const id = checkName('conversationId', conversationId);
    const rows = await this.#context.store.read((tx) => tx.messages.from(this.tenant, id, 0));
    return new HistoryWriter(rows).loaded.map(withoutStepRecord);
  }

  /** Lists the audit of a run, in order; `after` is the number of the last known entry. */
  async audit(runId: string, after = 0, limit = 1_000): Promise<readonly AuditRow[]> {
    const id = checkId('runId', runId);
    if (after !== 0) checkWhole('after', after, Number.MAX_SAFE_INTEGER);
    checkWhole('limit', limit);
    return this.#context.store.read((tx) => tx.audit.ofRun(this.tenant, id, after, limit));
  }

  /**
   * Returns why an approver may not decide a hold now, and why they may not approve its proposal. It writes
   * nothing; `decide` evaluates the same again.
   */
  async rightsOf(
    hold: HoldRow,
    approver: ActingApprover,
    runOf: () => Promise<RunRow> = () => readRun(this.#context, this.tenant, hold.runId),
  ): Promise<ApproverRights> {
    requireHold(hold);
    requireApprover(approver);
    const { policy, store } = this.#context;
    const required = withRequirementNow(policy, hold);
    const isEscalated = stepsOf(required).every(({ isReached }) => isReached);
    const now = isEscalated ? required : escalatedAt(required, await store.read((tx) => tx.now()));
    const reason = await whyNotDecide(policy, now, approver, runOf);
    return { whyNotDecide: reason, whyNotApprove: reason ?? whyNotApprove(now, approver) };
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

  /**
   * Evaluates other `approvers` on settled holds, the oldest first. Returns the requirements of
   * each hold, those of the policy, and if the recorded votes meet them. It writes nothing.
   * `mayDecide` is not evaluated. A policy that fails for a hold is reported with that hold.
   */
  simulatePolicy(options: SimulatePolicyOptions): Promise<Page<SimulatedHold>> {
    return simulatePolicy(this.#context, this.tenant, options);
  }

  /**
   * Returns the people on whose behalf a person may decide now, with the roles that they lend: those who delegated to
   * them and whom the application still knows.
   */
  async delegatorsOf(delegate: Person): Promise<readonly Delegator[]> {
    const { store, policy } = this.#context;
    const by = checkPerson('the delegate', delegate);
    const rows = await store.read(async (tx) =>
      tx.delegations.liveTo(this.tenant, by, await tx.now()),
    );
    const delegators: Delegator[] = [];
    for (const row of rows) {
      const delegator = await delegatorOf(row, policy.rolesOf);
      if (delegator !== undefined) delegators.push(delegator);
    }
    return Object.freeze(delegators);
  }

  /** Lists delegations, the latest first. */
  async delegations(query: DelegationQuery = {}): Promise<Page<DelegationRow>> {
    const checked = checkDelegationQuery(query);
    const { store } = this.#context;
    return store.read(async (tx) => tx.delegations.list(this.tenant, checked, await tx.now()));
  }

  /** Returns a delegation. */
  async delegation(delegationId: string): Promise<DelegationRow> {
    const id = checkId('delegationId', delegationId);
    const row = await this.#context.store.read((tx) => tx.delegations.get(this.tenant, id));
    if (row === undefined) throw notFound('delegation', delegationId);
    return row;
  }

  /** Lists grants, the latest first. */
  async grants(query: GrantQuery = {}): Promise<Page<GrantRow>> {
    const checked = checkGrantQuery(query);
    const { store } = this.#context;
    return store.read(async (tx) => tx.grants.list(this.tenant, checked, await tx.now()));
  }

  /** Returns a grant. */
  async grant(grantId: string): Promise<GrantRow> {
    const id = checkId('grantId', grantId);
    const grant = await this.#context.store.read((tx) => tx.grants.get(this.tenant, id));
    if (grant === undefined) throw notFound('grant', grantId);
    return grant;
  }

  /**
   * Returns the tenant of a decision link by its token, or `undefined` if the link does not exist.
   */
  async tenantOfLink(token: string): Promise<string | undefined> {
    return tenantOfLink(this.#context.store, checkId('token', token));
  }

  /** Returns a decision link of this tenant and its hold, by its token. It changes nothing. */
  async openLink(token: string): Promise<OpenedLink | undefined> {
    return openLink(this.#context.store, this.tenant, checkId('token', token));
  }

  /** Lists the webhooks about an event, with their states. */
  async deliveries(eventId: string): Promise<readonly DeliveryRow[]> {
    const id = checkId('eventId', eventId);
    return this.#context.store.read((tx) => tx.deliveries.ofEvent(this.tenant, id));
  }

  /** Lists the dead letters, the oldest first. */
  async deadLetters(query: PageQuery = {}): Promise<Page<DeadLetter>> {
    const checked = checkPageQuery('deadLetters', query);
    const page = await this.#context.store.read((tx) => tx.tasks.givenUp(this.tenant, checked));
    const items = page.items.map(({ kind, id, queue, attempts, problem, givenUpAt = 0 }) =>
      Object.freeze({ kind, id, queue, attempts, problem, givenUpAt }),
    );
    return { ...page, items };
  }

  /**
   * Lists events, in order. No event is ever added before one that was listed, so a reader that resumes
   * after its last event, with `eventCursor`, misses none.
   */
  async events(query: PageQuery = {}): Promise<Page<OutboxRow>> {
    const checked = checkPageQuery('events', query);
    return this.#context.store.read((tx) => tx.outbox.list(this.tenant, checked));
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
    if (typeof listener !== 'function') {
      throw new UserError(`\`listener\` is ${kindOf(listener)}. Pass a function.`);
    }
    return this.#context.store.onDue(({ tenants }) => {
      if (tenants === 'all' || tenants.includes(this.tenant)) listener();
    });
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
   * Yields the events of a run: its stored messages, its state, and then all later events, each
   * once. Text is live if the run executes in this process. Messages of runs in other processes
   * follow step by step.
   *
   * The stream ends when the run parks, is stuck or ends. The run never waits for its readers.
   * Leave the loop, or abort `signal`, to end the stream before.
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
}

function requireHold(hold: HoldRow): void {
  // Programs without types may pass anything.
  const given: unknown = hold;
  if (typeof Object(given).id === 'string' && typeof Object(given).agent === 'string') return;
  throw new UserError(`\`hold\` is ${kindOf(given)}. Pass what \`desk.hold\` returns.`);
}

function requireApprover(approver: ActingApprover): void {
  // Programs without types may pass anything.
  const given: unknown = Object(approver).by;
  checkPerson('the approver', given as ActingApprover['by']);
}
