import {
  type Agent,
  type DecisionEntry,
  type DeferredToolResults,
  type Message,
  requestsFromMessages,
  ToolExpired,
} from 'holdpoint';
import type { ChatBackend, ChatTurn, OpenChat, PendingChat } from 'holdpoint/ai-sdk-ui';
import { present } from '../support/present.ts';
import type { Access } from './support.ts';

/** The rule for one tool call. */
export interface CallRule {
  /** The number of users that have to approve. */
  readonly approvals: number;
  /** True if the call expires before a user decides it. */
  readonly expires: boolean;
}

/** A backend with a quorum and expiry for each call, in the order of the calls. One user who denies suffices. */
export class QuorumBackend implements ChatBackend<Access> {
  messages: readonly Message[] = [];
  readonly #agent: Agent;
  readonly #rules: readonly CallRule[];
  readonly #votes = new Map<string, Map<string, DecisionEntry>>();

  constructor(agent: Agent, rules: readonly CallRule[]) {
    this.#agent = agent;
    this.#rules = rules;
  }

  async open({ user }: Access): Promise<OpenChat> {
    const messages = this.messages;
    return {
      messages,
      requests: requestsFromMessages(messages),
      prompt: async ({ id, content }) => {
        const runId = `run-of-${id}`;
        const turn = this.#turn(content, { messageHistory: messages, runId });
        return { ...turn, messageId: runId };
      },
      decide: async (entries) => this.#decide(user, entries),
    };
  }

  #decide(user: string, entries: readonly DecisionEntry[]): ChatTurn | PendingChat {
    const requests = present(requestsFromMessages(this.messages));
    for (const entry of entries) {
      const votes = this.#votes.get(entry.key) ?? new Map<string, DecisionEntry>();
      this.#votes.set(entry.key, votes.set(user, entry));
    }
    const settled: DecisionEntry[] = [];
    const expired: Record<string, ToolExpired> = {};
    const notes = new Map<string, string>();
    for (const [index, call] of [...requests].entries()) {
      const rule = present(this.#rules[index]);
      const votes = [...(this.#votes.get(call.key)?.values() ?? [])];
      const denial = votes.find(({ decision }) => isDenial(decision));
      if (rule.expires) expired[call.key] = new ToolExpired();
      else if (denial !== undefined) settled.push(denial);
      else if (votes.length >= rule.approvals) settled.push(present(votes[0]));
      else notes.set(call.id, `${votes.length} of ${rule.approvals} approvals`);
    }
    if (notes.size > 0) return { kind: 'pending', requests, notes };
    const deferredToolResults = requests.buildResults(settled);
    Object.assign(deferredToolResults.approvals, expired);
    return this.#turn(undefined, { messageHistory: this.messages, deferredToolResults });
  }

  #turn(prompt: Parameters<Agent['stream']>[0], options: TurnOptions): ChatTurn {
    const stream = this.#agent.stream(prompt, { ...options, durability: { mayPark: true } });
    const keep = (messages: readonly Message[]) => {
      this.messages = messages;
    };
    async function* events() {
      for await (const event of stream) {
        if (event.kind === 'run-result') keep(event.result.messages);
        yield event;
      }
    }
    return { kind: 'turn', events: events() };
  }
}

interface TurnOptions {
  readonly messageHistory: readonly Message[];
  readonly deferredToolResults?: DeferredToolResults;
  readonly runId?: string;
}

function isDenial(decision: unknown): boolean {
  return (
    typeof decision === 'object' &&
    decision !== null &&
    'kind' in decision &&
    decision.kind === 'deny'
  );
}
