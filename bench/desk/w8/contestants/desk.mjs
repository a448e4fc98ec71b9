import { openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import {
  APPROVER,
  callsFor,
  FINAL,
  forEach,
  LOOKUP,
  REFUND,
  Refunds,
  REQUESTER,
} from '../workload.mjs';

const AGENT = 'clerk';
const PAGE = 500;

/** The desk through its public API. Any store fits. `executeDue` executes the runs that are due. */
export class DeskContestant {
  #desk;
  #refunds = new Refunds();
  #holds = [];
  #executeDue;

  constructor(store, executeDue = drain) {
    const agent = agentWith(this.#refunds);
    this.#desk = openDesk({ store, agents: { [AGENT]: { agent } } });
    this.#executeDue = executeDue;
  }

  get desk() {
    return this.#desk;
  }

  async park(orders, concurrency) {
    await forEach(orders, concurrency, (order) =>
      this.#desk.start(AGENT, order, { requester: REQUESTER }),
    );
    await this.#executeDue(this.#desk, concurrency);
  }

  /** Lists the holds, as the inbox does. It is not timed. */
  async prepareDecisions(orders) {
    this.#holds = [];
    let after;
    do {
      const page = await this.#desk.holds({ limit: PAGE, after });
      this.#holds.push(...page.items);
      after = page.next;
    } while (after !== undefined);
    if (this.#holds.length !== orders.length) {
      throw new Error(`${this.#holds.length} of ${orders.length} runs have an open hold.`);
    }
  }

  async decide(_orders, concurrency) {
    await forEach(this.#holds, concurrency, ({ id, digest }) =>
      this.#desk.decide(id, { kind: 'approve' }, { by: APPROVER, digest }),
    );
  }

  async resume(_orders, concurrency) {
    await this.#executeDue(this.#desk, concurrency);
  }

  async verify(orders) {
    this.#refunds.requireOnce(orders);
    const states = ['ready', 'running', 'parked', 'failed', 'cancelled', 'stuck'];
    const { items } = await this.#desk.runs({ states, limit: 1 });
    if (items.length > 0) throw new Error(`A run is ${items[0].state} instead of finished.`);
  }

  close() {
    return this.#desk.close();
  }
}

/** Executes due runs with `concurrency` workers, until no run is due. */
function drain(desk, concurrency) {
  return Promise.all(Array.from({ length: concurrency }, () => desk.drain()));
}

function agentWith(refunds) {
  return new Agent({
    name: AGENT,
    model: functionModel(({ messages }) => {
      const last = messages.at(-1)?.parts.at(-1);
      if (last?.kind !== 'user-prompt') return says(FINAL);
      const drafts = callsFor(String(last.content)).map(({ id, name, args }) =>
        calls(name, args, { id }),
      );
      return responds(...drafts);
    }),
    tools: [
      tool({
        name: LOOKUP.name,
        description: LOOKUP.description,
        inputSchema: LOOKUP.schema,
        execute: LOOKUP.execute,
      }),
      tool({
        name: REFUND.name,
        description: REFUND.description,
        inputSchema: REFUND.schema,
        requiresApproval: true,
        execute: refunds.execute,
      }),
    ],
    output: [String, DeferredToolRequests],
  });
}
