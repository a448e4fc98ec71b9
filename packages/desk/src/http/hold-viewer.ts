import { type ApproverRights, type Desk, insidesOf } from '../desk/desk.ts';
import { hasVoted } from '../approvers/may-answer.ts';
import type { AnswerRow } from '../model/answer-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Caller } from './caller.ts';
import type { DeskRules } from './desk-rules.ts';
import type { ConversationSecrets } from './redaction/conversation-secrets.ts';
import { type HoldView, holdFacts, type MineView } from './views/hold-view.ts';
import { votesView } from './views/vote-view.ts';

/** Shows holds to somebody: what they may see of them, and what they may do. */
export class HoldViewer {
  readonly #desk: Desk;
  readonly #caller: Caller;
  readonly #rules: DeskRules;
  readonly #secrets: ConversationSecrets;
  readonly #runs = new Map<string, Promise<RunRow>>();

  constructor(asked: {
    readonly desk: Desk;
    readonly caller: Caller;
    readonly rules: DeskRules;
    readonly secrets: ConversationSecrets;
  }) {
    this.#desk = asked.desk;
    this.#caller = asked.caller;
    this.#rules = asked.rules;
    this.#secrets = asked.secrets;
  }

  /** Holds as lists have them. The number of queries does not depend on how many there are. */
  async list(holds: readonly HoldRow[]): Promise<readonly HoldView[]> {
    await this.#secrets.load(holds.map(({ conversationId }) => conversationId));
    await this.#loadRuns(holds);
    const views: HoldView[] = [];
    for (const hold of holds) views.push(await this.inList(hold));
    return views;
  }

  /** Those of the holds that the caller may decide and has not agreed to yet. */
  async waitingForThem(holds: readonly HoldRow[]): Promise<readonly HoldRow[]> {
    await this.#loadRuns(holds);
    const waiting: HoldRow[] = [];
    for (const hold of holds) if (await this.isWaitingForThem(hold)) waiting.push(hold);
    return waiting;
  }

  /** A hold as lists have it: without the schema, and with the votes that count. */
  async inList(hold: HoldRow): Promise<HoldView> {
    const secrets = await this.#secrets.of(hold.conversationId);
    const mine = await this.mine(hold);
    return { ...holdFacts(hold, this.#rules.redaction, secrets), votes: votesView(hold), mine };
  }

  /** A hold with all that there is to it. */
  async whole(hold: HoldRow, answers: readonly AnswerRow[]): Promise<HoldView> {
    return {
      ...(await this.inList(hold)),
      votes: votesView(hold, answers),
      schema: hold.schema,
    };
  }

  /** What whoever asks may do with a hold. */
  async mine(hold: HoldRow): Promise<MineView> {
    const voted = hasVoted(hold, this.#caller.person);
    if (hold.state !== 'open') {
      const why = 'The hold is settled.';
      return { mayAnswer: false, mayApprove: false, why, hasVoted: voted };
    }
    const { whyNotAnswer, whyNotApprove } = await this.#rights(hold);
    return {
      mayAnswer: whyNotAnswer === undefined,
      mayApprove: whyNotApprove === undefined && !voted,
      why: whyNotApprove,
      hasVoted: voted,
    };
  }

  /** Whether a hold waits for whoever asks. */
  async isWaitingForThem(hold: HoldRow): Promise<boolean> {
    return (await this.mine(hold)).mayApprove === true;
  }

  /** A function of the application that fails does not keep people from looking. */
  async #rights(hold: HoldRow): Promise<ApproverRights> {
    const { person: by, roles } = this.#caller;
    try {
      return await this.#desk.rightsOf(hold, { by, roles }, () => this.#runOf(hold.runId));
    } catch (error) {
      this.#rules.onError(error);
      const why = 'The policy of the desk failed, so no decision can be recorded now.';
      return { whyNotAnswer: why, whyNotApprove: why };
    }
  }

  /** Reads the runs of open holds at once, if a rule needs them. */
  async #loadRuns(holds: readonly HoldRow[]): Promise<void> {
    const { store, policy } = insidesOf(this.#desk);
    if (policy.mayAnswer.length === 0) return;
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
