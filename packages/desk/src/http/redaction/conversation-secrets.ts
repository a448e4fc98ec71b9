import type { Desk } from '../../desk/desk.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import { HOLD_TRANSITIONS, type HoldState } from '../../model/states.ts';
import { callsIn } from '../views/history-view.ts';
import type { CallArgs, Redaction } from './redaction.ts';
import { Secrets } from './secrets.ts';

/** What people are not to see of conversations, found out once for a request. */
export class ConversationSecrets {
  readonly #desk: Desk;
  readonly #redaction: Redaction;
  readonly #known = new Map<string, Promise<Secrets>>();

  constructor(desk: Desk, redaction: Redaction) {
    this.#desk = desk;
    this.#redaction = redaction;
  }

  /** What was sent, what tools got, and what people put in. */
  of(conversationId: string): Promise<Secrets> {
    let secrets = this.#known.get(conversationId);
    if (secrets === undefined) {
      secrets = this.#find(conversationId);
      this.#known.set(conversationId, secrets);
    }
    return secrets;
  }

  async #find(conversationId: string): Promise<Secrets> {
    if (this.#redaction.isEmpty) return new Secrets([]);
    const calls: CallArgs[] = [...callsIn(await this.#desk.history(conversationId))];
    for await (const hold of holdsOf(this.#desk, conversationId)) {
      if (this.#redaction.isAbout(hold.toolName)) calls.push(...(await callsOf(this.#desk, hold)));
    }
    return this.#redaction.secretsOf(calls);
  }
}

// The keys of the table are the states.
const STATES = Object.keys(HOLD_TRANSITIONS) as HoldState[];

async function* holdsOf(desk: Desk, conversationId: string): AsyncGenerator<HoldRow> {
  let after: string | undefined;
  do {
    const page = await desk.holds({ conversationId, states: STATES, after, limit: 500 });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

async function callsOf(desk: Desk, hold: HoldRow): Promise<readonly CallArgs[]> {
  const { toolName, args, checkedArgs } = hold;
  const all = [args, checkedArgs, hold.proposal?.shown?.args];
  // What was proposed is in the answers, also if it does not count any more.
  const isAnswered = hold.outcome === 'decided' || hold.revision !== undefined;
  const { answers } = isAnswered ? await desk.hold(hold.id) : { answers: [] };
  for (const { answer } of answers) if (answer.kind === 'edit') all.push(answer.args);
  return all.filter((one) => one !== undefined).map((one) => ({ toolName, args: one }));
}
