import type { Desk } from '../desk/desk.ts';
import { contextOf } from '../desk/desk-reader.ts';
import type { ApproverRights } from '../desk/method-options.ts';
import type { ActingApprover } from '../approvers/delegated.ts';
import { hasVoted } from '../approvers/eligibility.ts';
import type { DecisionRow } from '../model/decision-row.ts';
import type { Delegator } from '../model/delegation-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Caller } from './caller.ts';
import type { DeskRules, RequestScope } from './scope.ts';
import type { ConversationSecrets } from './redaction/conversation-secrets.ts';
import { type HoldView, holdFacts, questionView, type ViewerRights } from './views/hold-view.ts';
import { votesView } from './views/vote-view.ts';

/** Prepares holds for a caller: without values that they must not see, and with their rights. */
export class HoldViewer {
  readonly #desk: Desk;
  readonly #caller: Caller;
  readonly #rules: DeskRules;
  readonly #secrets: ConversationSecrets;
  #delegators: Promise<readonly Delegator[]> | undefined;
  readonly #runs = new Map<string, Promise<RunRow>>();

  constructor({ desk, caller, rules, secrets }: RequestScope) {
    this.#desk = desk;
    this.#caller = caller;
    this.#rules = rules;
    this.#secrets = secrets;
  }

  /** Returns holds for a list. The number of queries does not depend on the number of holds. */
  async list(holds: readonly HoldRow[]): Promise<readonly HoldView[]> {
    await this.#secrets.load(holds.map(({ conversationId }) => conversationId));
    await this.#loadRuns(holds);
    const views: HoldView[] = [];
    for (const hold of holds) views.push(await this.inList(hold));
    return views;
  }

  /** Returns the holds that the caller may approve and has not approved yet. */
  async awaitingCaller(holds: readonly HoldRow[]): Promise<readonly HoldRow[]> {
    await this.#loadRuns(holds);
    const awaiting: HoldRow[] = [];
    for (const hold of holds) if ((await this.viewer(hold)).mayApprove) awaiting.push(hold);
    return awaiting;
  }

  /** Returns a hold for a list: without the schema, and with the votes that count. */
  async inList(hold: HoldRow): Promise<HoldView> {
    const secrets = await this.#secrets.of(hold.conversationId);
    const viewer = await this.viewer(hold);
    return { ...holdFacts(hold, this.#rules.redaction, secrets), votes: votesView(hold), viewer };
  }

  /** Returns a hold with its schema and all votes. */
  async whole(hold: HoldRow, decisions: readonly DecisionRow[]): Promise<HoldView> {
    const secrets = await this.#secrets.of(hold.conversationId);
    return {
      ...(await this.inList(hold)),
      question: questionView(hold, secrets),
      votes: votesView(hold, decisions),
      schema: hold.schema,
    };
  }

  /** Returns the rights of the caller on a hold. */
  async viewer(hold: HoldRow): Promise<ViewerRights> {
    const { person: by, roles } = this.#caller;
    const voted = hasVoted(hold, { by, roles });
    if (hold.state !== 'open') {
      const reason = 'The hold is settled.';
      return { mayDecide: false, mayApprove: false, reason, hasVoted: voted };
    }
    const { whyNotDecide, whyNotApprove } = await this.#rights(hold, { by, roles });
    const own = whyNotDecide === undefined;
    const { onBehalfOf, mayApprove } = await this.#delegatedRights(hold);
    return {
      mayDecide: own || onBehalfOf.length > 0,
      mayApprove: (whyNotApprove === undefined && !voted) || mayApprove,
      reason: whyNotApprove,
      hasVoted: voted,
      ...(onBehalfOf.length > 0 && { asSelf: own, onBehalfOf }),
    };
  }

  /** Returns the people on whose behalf the caller may decide holds now. */
  delegators(): Promise<readonly Delegator[]> {
    this.#delegators ??= this.#desk.delegatorsOf(this.#caller.person);
    return this.#delegators;
  }

  async #delegatedRights(
    hold: HoldRow,
  ): Promise<{ readonly onBehalfOf: readonly Person[]; readonly mayApprove: boolean }> {
    const { person: by, roles } = this.#caller;
    const people: Person[] = [];
    let mayApprove = false;
    for (const onBehalfOf of await this.delegators()) {
      const approver = { by, roles, onBehalfOf };
      const { whyNotDecide, whyNotApprove } = await this.#rights(hold, approver);
      if (whyNotDecide !== undefined) continue;
      const { id, name } = onBehalfOf;
      people.push({ id, ...(name !== undefined && { name }) });
      mayApprove ||= whyNotApprove === undefined && !hasVoted(hold, approver);
    }
    return { onBehalfOf: people, mayApprove };
  }

  /** A policy that throws prevents decisions, but the hold can still be read. */
  async #rights(hold: HoldRow, approver: ActingApprover): Promise<ApproverRights> {
    try {
      return await this.#desk.rightsOf(hold, approver, () => this.#runOf(hold.runId));
    } catch (error) {
      this.#rules.onError(error);
      const why = 'The policy of the desk failed, so no decision can be recorded now.';
      return { whyNotDecide: why, whyNotApprove: why };
    }
  }

  /** Reads the runs of open holds with one query, if a policy needs them. */
  async #loadRuns(holds: readonly HoldRow[]): Promise<void> {
    const { store, policy } = contextOf(this.#desk);
    if (policy.mayDecide.length === 0) return;
    const open = holds.filter(({ state }) => state === 'open').map(({ runId }) => runId);
    const missing = [...new Set(open)].filter((id) => !this.#runs.has(id));
    if (missing.length === 0) return;
    const runs = await store.read((tx) => tx.runs.withIds(this.#desk.tenant, missing));
    for (const run of runs) this.#runs.set(run.id, Promise.resolve(run));
  }

  #runOf(runId: string): Promise<RunRow> {
    const run = this.#runs.get(runId) ?? this.#desk.run(runId);
    this.#runs.set(runId, run);
    return run;
  }
}
