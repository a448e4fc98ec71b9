import {
  type JsonObject,
  type JsonValue,
  type Message,
  UserError,
  type UserPrompt,
} from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import { withoutStepRecord } from 'holdpoint/messages';
import { whyNotApprove } from '../approvers/may-answer.ts';
import {
  type MayAnswer,
  type Policy,
  whyNotDecide,
  withRequirementNow,
} from '../approvers/policy.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { ReportError } from '../errors/report-error.ts';
import { EditDoesNotFitError } from '../errors/edit-does-not-fit-error.ts';
import type { AnswerLink, AnswerLinkOptions, OpenedLink } from '../links/answer-link.ts';
import { makeLink } from '../links/make-link.ts';
import { openLink, tenantOfLink } from '../links/open-link.ts';
import { revokeLink } from '../links/revoke-link.ts';
import { useLink } from '../links/use-link.ts';
import { adviceFor, checkOptions, type KeysOf, kindOf } from '../model/check-keys.ts';
import type { AnswerRow, HoldAnswer } from '../model/answer-row.ts';
import type { AuditRow } from '../model/audit-row.ts';
import type { DeliveryRow } from '../model/delivery-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { GrantQuery, HoldQuery, Page, PageQuery, RunQuery } from '../model/page.ts';
import type { Person } from '../model/person.ts';
import type { Remember } from '../model/remember.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { Store } from '../store/store.ts';
import { acceptMessage } from '../transitions/accept-message.ts';
import { type NewInput, requesterKeyOf } from '../transitions/accept-once.ts';
import { answerHold, type NewAnswer } from '../transitions/answer-hold.ts';
import { cancelRun } from '../transitions/cancel-run.ts';
import { notFound } from '../transitions/not-found.ts';
import { retryRun } from '../transitions/retry-run.ts';
import { revokeGrant } from '../transitions/revoke-grant.ts';
import { rebuildSearch } from '../transitions/rebuild-search.ts';
import { recordSecrets } from '../transitions/record-secrets.ts';
import { startRun } from '../transitions/start-run.ts';
import type { Worker } from '../worker/worker.ts';
import { checkAnswer, checkPerson, checkRemember, checkRoles } from './check-answer.ts';
import { checkName } from './check-name.ts';
import { checkWhole } from './check-whole.ts';
import type { InsideAgent } from './desk-agent.ts';
import { type DescribedEdit, describeEdit, type EditDescription } from './describe-edit.ts';
import { HistoryWriter } from './history-writer.ts';
import { restrictedBy } from './policies.ts';
import { toPromptText } from './prompt-text.ts';

/** How a run is started. */
export interface StartOptions {
  /** Who asks for it. Calls run for this person, whoever approves them. */
  readonly requester?: Person | undefined;
  /** The conversation to go on with; a new one unless given. It must have no live run. */
  readonly conversationId?: string | undefined;
  /**
   * The same key from the same requester returns the same run, also after the run has ended. A key that was
   * used for something else is rejected with `idempotency-key-reused`.
   */
  readonly idempotencyKey?: string | undefined;
}

/** How a message is given to a conversation. */
export interface MessageOptions extends Omit<StartOptions, 'conversationId'> {
  /**
   * What becomes of calls that wait for an answer: the message is refused (the default), or they are
   * settled as superseded, of which the model is told.
   */
  readonly onOpenHolds?: 'refuse' | 'supersede' | undefined;
}

/** Who answers, and what they have looked at. */
export interface AnswerOptions {
  readonly by: Person;
  /** The digest of the hold as it was shown. */
  readonly digest: string;
  /** The roles that they have. Where the rule of a hold asks for some, they may not be left out. */
  readonly roles?: readonly string[] | undefined;
  /** Which later calls the approval is to hold for as well. */
  readonly remember?: Remember | undefined;
  /**
   * The `shown` of `checkEdit`: it confirms what the approver was shown for an edit. Without it, an edit that
   * the tool changes or has a preview for is recorded without a vote of its author.
   */
  readonly shown?: string | undefined;
}

/** A hold with the answers to it. */
export interface AnsweredHold {
  readonly hold: HoldRow;
  readonly answers: readonly AnswerRow[];
}

/** What an approver may do with a hold; `undefined` members are rights that they have. */
export interface ApproverRights {
  readonly whyNotAnswer: string | undefined;
  readonly whyNotApprove: string | undefined;
}

/** How a worker works. */
export interface WorkOptions {
  /**
   * Stops the worker: it claims nothing more, aborts model requests, and gives each run back after the tool
   * calls that are executing.
   */
  readonly signal: AbortSignal;
  /**
   * How long calls may take that are executing when `signal` aborts, in milliseconds; 30 seconds unless given.
   * Then their signals abort, and `keepWorking` ends about a second later, whatever they do.
   */
  readonly drainMs?: number | undefined;
  /** How many tasks at a time; 4 unless given. */
  readonly concurrency?: number | undefined;
  /** How long to wait when there is nothing to do, in milliseconds; a second unless given. */
  readonly pollMs?: number | undefined;
}

/** What the desks of all tenants share. */
export interface DeskInsides {
  readonly store: Store;
  readonly worker: Worker;
  /** The names of its agents. */
  readonly names: ReadonlySet<string>;
  /** Where people reach it, if somebody has said. */
  readonly url: string | undefined;
  readonly policy: Policy;
  readonly agents: Readonly<Record<string, InsideAgent>>;
  readonly redaction: Redaction;
  /** Called with errors that no caller gets. */
  readonly onError: ReportError;
}

const insides = new WeakMap<Desk, DeskInsides>();

/** Returns what the desks of all tenants share. It is not part of the API of a desk. */
export function insidesOf(desk: Desk): DeskInsides {
  const found = insides.get(desk);
  if (found === undefined) throw new UserError('This is not a desk. Pass what `openDesk` returns.');
  return found;
}

/** Where parked runs of a tenant wait for people, and workers go on with them. Opened by `openDesk`. */
export class Desk<Name extends string = string> {
  /** Whose runs these are. */
  readonly tenant: string;
  /** Where people reach it, without a slash at the end; `undefined` if nobody has said. */
  readonly url: string | undefined;
  readonly #insides: DeskInsides;
  readonly #store: Store;
  readonly #worker: Worker;
  readonly #names: ReadonlySet<string>;

  /** @internal Use `openDesk`. */
  constructor(tenant: string, shared: DeskInsides) {
    this.tenant = checkName('tenant', tenant);
    this.url = shared.url;
    this.#insides = shared;
    this.#store = shared.store;
    this.#worker = shared.worker;
    this.#names = shared.names;
    insides.set(this, shared);
  }

  /**
   * The same desk for another tenant. Everything but work is limited to that tenant: `workOff` and `keepWorking`
   * do what is due of all tenants, through whichever desk they are called.
   */
  forTenant(tenant: string): Desk<Name> {
    return new Desk(tenant, this.#insides);
  }

  /** Returns the same desk with further rules, which hold beside its own. */
  restrictedBy(rules: {
    readonly mayAnswer?: MayAnswer | undefined;
    readonly notRequester?: boolean | undefined;
  }): Desk<Name> {
    if (rules.mayAnswer === undefined && !rules.notRequester) return this;
    const policy = restrictedBy(this.#insides.policy, rules);
    return new Desk(this.tenant, { ...this.#insides, policy });
  }

  /** The names of the agents that runs can be started with. */
  get agents(): readonly Name[] {
    // `openDesk` knows them by this type.
    return [...this.#names] as Name[];
  }

  /** Writes a run down, to be worked on by whoever works; gives its id. Nothing has run yet. */
  async start(agent: Name, prompt: UserPrompt, options: StartOptions = {}): Promise<string> {
    if (!this.#names.has(agent)) throw unknownAgent(agent, this.#names);
    checkOptions<StartOptions>('`desk.start`', options, START_OPTIONS);
    requirePrompt('start', prompt);
    const conversationId =
      options.conversationId && checkName('conversationId', options.conversationId);
    const input = this.#inputOf(prompt, options);
    const about = [agent, conversationId ?? null, ...hashedParts(input)];
    const startHash = hashOf('holdpoint/start/2', ...about);
    const start = { ...input, agent, conversationId, startHash };
    const { id } = await startRun(this.#store, this.tenant, start);
    return id;
  }

  /**
   * Says something in a conversation: to its parked run, or with a new run of the agent that it had last.
   * Gives the id of the run that will hear it.
   */
  async message(
    conversationId: string,
    prompt: UserPrompt,
    options: MessageOptions = {},
  ): Promise<string> {
    checkOptions<MessageOptions>('`desk.message`', options, MESSAGE_OPTIONS);
    requirePrompt('message', prompt);
    const { onOpenHolds = 'refuse' } = options;
    requireOneOf('onOpenHolds', onOpenHolds, ['refuse', 'supersede']);
    checkName('conversationId', conversationId);
    const input = this.#inputOf(prompt, options);
    const hash = hashOf('holdpoint/message/2', conversationId, ...hashedParts(input));
    const message = { ...input, hash, conversationId, onOpenHolds };
    return (await acceptMessage(this.#store, this.tenant, message)).id;
  }

  /**
   * Answers a hold. It is decided when as many agree as its rule asks for, which is one unless said
   * otherwise; one denial is enough. After that an answer is a `HoldSettledError` with the last one. When
   * all its holds are settled, a run is ready to go on.
   */
  async answer(holdId: string, answer: HoldAnswer, options: AnswerOptions): Promise<HoldRow> {
    checkOptions<AnswerOptions>('`desk.answer`', options, ANSWER_OPTIONS);
    requireDigest(options.digest);
    const { by, digest, roles, remember, shown } = options;
    const given: NewAnswer = {
      answer: checkAnswer(answer),
      by: checkPerson('whoever answers', by),
      digest,
      roles: roles && checkRoles(roles),
      remember: remember && checkRemember(remember),
    };
    const { store, policy } = this.#insides;
    return answerHold(
      store,
      policy,
      this.tenant,
      holdId,
      await this.#withShown(holdId, given, shown),
    );
  }

  /**
   * Returns what an approver may do with a hold now: why they may not decide it, and why they may not approve
   * what it proposes. It writes nothing; `answer` evaluates the same again.
   */
  async rightsOf(
    hold: HoldRow,
    approver: { readonly by: Person; readonly roles?: readonly string[] | undefined },
    runOf: () => Promise<RunRow> = () => this.run(hold.runId),
  ): Promise<ApproverRights> {
    const now = withRequirementNow(this.#insides.policy, hold);
    const whyNotAnswer = await whyNotDecide(this.#insides.policy, now, approver, runOf);
    return { whyNotAnswer, whyNotApprove: whyNotAnswer ?? whyNotApprove(now, approver.by) };
  }

  /**
   * Describes an edit, and writes nothing: what is wrong with the arguments, the validated arguments that would
   * execute, their preview, and what the policy demands for them. Show it to the approver, and pass `shown` of
   * it to `answer`.
   */
  async checkEdit(holdId: string, args: JsonObject): Promise<EditDescription> {
    const { described: _described, ...description } = await this.#describe(holdId, args);
    return Object.freeze(description);
  }

  /** Grants, the latest first. */
  grants(query: GrantQuery = {}): Promise<Page<GrantRow>> {
    return this.#store.read(async (tx) => tx.grants.list(this.tenant, query, await tx.now()));
  }

  /** A grant as it is now. */
  async grant(grantId: string): Promise<GrantRow> {
    const grant = await this.#store.read((tx) => tx.grants.get(this.tenant, grantId));
    if (grant === undefined) throw notFound('grant', grantId);
    return grant;
  }

  /** Revokes a grant: from now on it decides nothing. */
  async revokeGrant(grantId: string, options: { readonly by: Person }): Promise<GrantRow> {
    const { by } = checkBy('revokeGrant', options);
    return revokeGrant(this.#store, this.tenant, grantId, checkPerson('whoever revokes', by));
  }

  /**
   * Makes a link with which one person can answer a hold as it is now, once. To open it changes nothing:
   * it shows what is asked, and a button. Needs the `url` of the desk.
   */
  async answerLink(holdId: string, options: AnswerLinkOptions): Promise<AnswerLink> {
    if (this.url === undefined) {
      throw new UserError('A link needs an address: give openDesk the url of the desk.');
    }
    checkOptions<AnswerLinkOptions>('`desk.answerLink`', options, LINK_OPTIONS);
    if (options.answer !== undefined) requireOneOf('answer', options.answer, ['approve', 'deny']);
    const person = checkPerson('whoever gets the link', options.for);
    const roles = checkRoles(options.roles ?? []);
    const given = { ...options, for: person, roles };
    const made = await makeLink(this.#store, this.tenant, holdId, given);
    const { id, expiresAt } = made.row;
    return Object.freeze({ id, url: `${this.url}/links/${made.token}`, expiresAt });
  }

  /** Ends a link that was not used yet, by its id. */
  revokeLink(linkId: string, { by }: { readonly by?: Person | undefined } = {}): Promise<void> {
    const person = by && checkPerson('whoever revokes', by);
    return revokeLink(this.#store, this.tenant, linkId, person);
  }

  /** The tenant of an answer link, by the token at the end of its address; `undefined` if there is no such link. */
  tenantOfLink(token: string): Promise<string | undefined> {
    return tenantOfLink(this.#store, token);
  }

  /**
   * What an answer link of this tenant is about, by the token at the end of its address; `undefined` if the
   * tenant has no such link. It changes nothing.
   */
  openLink(token: string): Promise<OpenedLink | undefined> {
    return openLink(this.#store, this.tenant, token);
  }

  /** Answers with a link of this tenant, and uses it up. */
  async answerByLink(token: string, answer: HoldAnswer): Promise<HoldRow> {
    const given = checkAnswer(answer);
    const { tenant } = this;
    return useLink({ store: this.#store, policy: this.#insides.policy, tenant }, token, given);
  }

  /** What became of the webhooks about an event. */
  deliveries(eventId: string): Promise<readonly DeliveryRow[]> {
    return this.#store.read((tx) => tx.deliveries.ofEvent(this.tenant, eventId));
  }

  /** Cancels a run, whatever it is doing: no call of it starts any more. */
  async cancel(runId: string, options: { readonly by: Person }): Promise<RunRow> {
    const { by } = checkBy('cancel', options);
    return cancelRun(this.#store, this.tenant, runId, checkPerson('whoever cancels', by));
  }

  /** Has a stuck run be tried again. */
  async retry(runId: string, options: { readonly by: Person }): Promise<RunRow> {
    const { by } = checkBy('retry', options);
    return retryRun(this.#store, this.tenant, runId, checkPerson('whoever retries', by));
  }

  /** A run as it is now. */
  async run(runId: string): Promise<RunRow> {
    const run = await this.#store.read((tx) => tx.runs.get(this.tenant, runId));
    if (run === undefined) throw notFound('run', runId);
    return run;
  }

  /** Runs, the latest first. */
  runs(query: RunQuery = {}): Promise<Page<RunRow>> {
    return this.#store.read((tx) => tx.runs.list(this.tenant, query));
  }

  /** A hold as it is now, with the answers to it. */
  hold(holdId: string): Promise<AnsweredHold> {
    return this.#store.read(async (tx) => {
      const hold = await tx.holds.get(this.tenant, holdId);
      if (hold === undefined) throw notFound('hold', holdId);
      return { hold, answers: await tx.answers.ofHold(this.tenant, holdId) };
    });
  }

  /** Holds, those that have waited longest first; those that are open unless said otherwise. */
  holds(query: HoldQuery = {}): Promise<Page<HoldRow>> {
    const { redaction } = this.#insides;
    // Other search texts may contain values that the rules of this desk redact.
    const isLimited = query.text !== undefined && !redaction.isEmpty;
    const redactionRules = isLimited ? redaction.fingerprint : undefined;
    const wanted = { states: ['open'] as const, ...query, redactionRules };
    return this.#store.read((tx) => tx.holds.list(this.tenant, wanted));
  }

  /** Open holds in which a text occurs: in the tool's name, the arguments, the preview or the requester. */
  search(text: string, query: HoldQuery = {}): Promise<Page<HoldRow>> {
    return this.holds({ ...query, text });
  }

  /** The messages of a conversation, for people: without what the framework has noted in them. */
  async history(conversationId: string): Promise<readonly Message[]> {
    const rows = await this.#store.read((tx) =>
      tx.messages.from(this.tenant, checkName('conversationId', conversationId), 0),
    );
    return new HistoryWriter(rows).loaded.map(withoutStepRecord);
  }

  /** The audit of a run, in order; `after` is the number of the last entry that is known. */
  audit(runId: string, after = 0, limit = 1_000): Promise<readonly AuditRow[]> {
    return this.#store.read((tx) => tx.audit.ofRun(this.tenant, runId, after, limit));
  }

  /**
   * What has happened, in order. No event is ever added before one that was listed, so a reader that resumes
   * after the last event that it has, with `eventCursor`, misses none.
   */
  events(query: PageQuery = {}): Promise<Page<OutboxRow>> {
    return this.#store.read((tx) => tx.outbox.list(this.tenant, query));
  }

  /** The last event that can be listed; `undefined` if there is none yet. */
  latestEvent(): Promise<OutboxRow | undefined> {
    return this.#store.read((tx) => tx.outbox.latest(this.tenant));
  }

  /** Whether there are events that cannot be listed yet, because an older transaction has not ended. */
  isWithholdingEvents(): Promise<boolean> {
    return this.#store.read((tx) => tx.outbox.isWithholding(this.tenant));
  }

  /** Calls `listener` when the tenant may have new events; gives the function that ends it. */
  onChange(listener: () => void): () => void {
    return this.#store.onDue(({ tenants }) => {
      if (tenants === 'all' || tenants.includes(this.tenant)) listener();
    });
  }

  /**
   * Takes a run as far as it goes now, in this process: until it parks, ends, or has to wait. It does
   * nothing if somebody else has it, or there is nothing to do, so it can be called any number of times.
   */
  async work(options: { readonly runId: string }): Promise<RunRow> {
    checkOptions<{ readonly runId: string }>('`desk.work`', options, { runId: true });
    const runId = checkName('runId', options.runId);
    const open = await this.#store.read((tx) => tx.holds.ofRun(this.tenant, runId, ['open']));
    for (const { id, expiresAt } of open) {
      if (expiresAt !== undefined) await this.#worker.doOnly([this.tenant, 'expiry', id]);
    }
    // What was approved in advance goes on at once.
    while (await this.#worker.doOnly([this.tenant, 'run', runId]));
    return this.run(runId);
  }

  /** Does all that is due, of all tenants, in this process; gives the number of tasks. */
  async workOff(): Promise<number> {
    let done = 0;
    while (await this.#worker.doNext()) done += 1;
    return done;
  }

  /** Does what becomes due, of all tenants, until the signal aborts. */
  async keepWorking(options: WorkOptions): Promise<void> {
    checkOptions<WorkOptions>('`desk.keepWorking`', options, WORK_OPTIONS);
    const { signal, concurrency = 4, pollMs = 1_000, drainMs = 30_000 } = options;
    if (!(signal instanceof AbortSignal)) {
      throw new UserError(
        '`desk.keepWorking` has no `signal`, so it could not be ended. Pass the signal of an `AbortController`.',
      );
    }
    checkWhole('concurrency', concurrency);
    checkWhole('pollMs', pollMs);
    const { redaction, onError } = this.#insides;
    const rebuilding = rebuildSearch(this.#store, redaction, signal).catch((error: unknown) =>
      onError(error),
    );
    await this.#worker.keepWorking({ signal, concurrency, pollMs, drainMs });
    await rebuilding;
  }

  /**
   * Adds the description of an edit to a decision. A tool may take its time, so this comes before the
   * transaction; the digest there names the same call.
   */
  async #withShown(
    holdId: string,
    given: NewAnswer,
    shown: string | undefined,
  ): Promise<NewAnswer> {
    const { answer } = given;
    if (answer.kind !== 'edit') return given;
    const edit = await this.#describe(holdId, answer.args);
    if (edit.problems.length > 0) throw new EditDoesNotFitError(edit.problems);
    if (shown !== undefined && shown !== edit.shown) throw staleEdit(holdId);
    const { hold } = await this.hold(holdId);
    await this.#recordSecrets(hold, [answer.args, edit.args]);
    const isAsTyped = edit.preview === undefined && isSameJson(edit.args, answer.args);
    return { ...given, shown: edit.described, isInformed: shown !== undefined || isAsTyped };
  }

  async #describe(holdId: string, args: JsonObject): Promise<DescribedEdit> {
    const { hold } = await this.hold(holdId);
    return describeEdit(this.#insides, this.#insides.policy, hold, args);
  }

  /** Before the answer is stored: edited arguments may contain values that people must not see. */
  async #recordSecrets(hold: HoldRow, all: readonly JsonValue[]): Promise<void> {
    const { tenant, conversationId, toolName } = hold;
    const calls = all.map((args) => ({ toolName, args }));
    await recordSecrets(this.#store, [tenant, conversationId], this.#insides.redaction, calls);
  }

  /** A prompt as it is queued, checked. */
  #inputOf(prompt: UserPrompt, options: MessageOptions): Omit<NewInput, 'hash'> {
    const { requester, idempotencyKey } = options;
    return {
      input: toPromptText(prompt),
      requester: requester && checkPerson('the requester', requester),
      idempotencyKey: idempotencyKey && checkName('idempotencyKey', idempotencyKey),
    };
  }
}

/** The parts of an input that every retry of it has in common. */
function hashedParts({ input, requester }: Omit<NewInput, 'hash'>): readonly string[] {
  return [input, requesterKeyOf(requester)];
}

const START_OPTIONS: KeysOf<StartOptions> = {
  requester: true,
  conversationId: true,
  idempotencyKey: true,
};

const MESSAGE_OPTIONS: KeysOf<MessageOptions> = {
  requester: true,
  idempotencyKey: true,
  onOpenHolds: true,
};

const ANSWER_OPTIONS: KeysOf<AnswerOptions> = {
  by: true,
  digest: true,
  roles: true,
  remember: true,
  shown: true,
};

const LINK_OPTIONS: KeysOf<AnswerLinkOptions> = {
  for: true,
  roles: true,
  expiresAfter: true,
  answer: true,
};

const WORK_OPTIONS: KeysOf<WorkOptions> = {
  signal: true,
  concurrency: true,
  pollMs: true,
  drainMs: true,
};

function checkBy(method: string, options: { readonly by: Person }): { readonly by: Person } {
  checkOptions<{ readonly by: Person }>(`\`desk.${method}\``, options, { by: true });
  return options;
}

/** Programs without types leave it out, and a run without instructions calls whatever its history suggests. */
function requirePrompt(method: string, prompt: UserPrompt): void {
  const given: unknown = prompt;
  if (typeof given === 'string' || Array.isArray(given)) return;
  throw new UserError(`The prompt of \`desk.${method}\` is ${kindOf(given)}. Pass a text.`);
}

function requireDigest(digest: string): void {
  const given: unknown = digest;
  if (typeof given === 'string' && given !== '') return;
  throw new UserError(
    'The decision has no `digest`, so it is not known what the approver was shown. Pass the `digest` of the hold as it was shown.',
  );
}

function staleEdit(holdId: string): DeskError {
  return new DeskError(
    'stale-edit',
    `The edit of hold '${holdId}' would execute something else than the approver was shown. Nothing was written. ` +
      'Call `checkEdit` again, and show the approver what it returns.',
  );
}

function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function requireOneOf(option: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new UserError(`\`${option}\` is ${kindOf(value)}. ${adviceFor(String(value), known)}`);
}

function unknownAgent(name: string, names: ReadonlySet<string>): DeskError {
  return new DeskError(
    'unknown-agent',
    `There is no agent '${name}' at this desk. There are: ${[...names].join(', ')}.`,
  );
}
