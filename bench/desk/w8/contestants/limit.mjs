/**
 * LIMIT: a run written by hand, with one commit per transition. It has the guarantees of the desk that W8
 * needs: at most once, the digest of the approved call, a hash-chained audit, an outbox, a fence, one clock. It has no
 * roles, votes, grants, conversations or idempotency keys. It treats `lookup` as repeatable.
 */
import { createHash } from 'node:crypto';
import {
  APPROVER,
  callsFor,
  FINAL,
  forEach,
  LOOKUP,
  REFUND,
  Refunds,
  REQUESTER,
  requireFinal,
} from '../workload.mjs';

/** The time after which another worker may claim a run, in milliseconds. */
export const LEASE_MS = 60_000;

/** Drives the transitions of a store: `start`, `decide`, `claim`, `startCall`, `settleCall`, `finish`. */
export class LimitContestant {
  #store;
  #refunds = new Refunds();
  #digests = new Map();

  constructor(store) {
    this.#store = store;
  }

  async park(orders, concurrency) {
    await forEach(orders, concurrency, async (order) => {
      const history = [{ role: 'user', text: order, requester: REQUESTER.id }];
      const calls = respond(history).calls;
      const [lookup, refund] = calls;
      const found = LOOKUP.execute(LOOKUP.schema.parse(lookup.args));
      REFUND.schema.parse(refund.args);
      const digest = digestOf(refund);
      history.push({ role: 'model', calls }, { role: 'tool', id: lookup.id, result: found });
      await this.#store.start({
        id: order,
        history: JSON.stringify(history),
        call: JSON.stringify(refund),
        digest,
      });
      this.#digests.set(order, digest);
    });
  }

  async decide(orders, concurrency) {
    const decision = JSON.stringify({ kind: 'approve', by: APPROVER.id });
    await forEach(orders, concurrency, async (id) => {
      const wasDecided = await this.#store.decide({ id, digest: this.#digests.get(id), decision });
      if (!wasDecided) throw new Error(`Run ${id} could not be decided.`);
    });
  }

  async resume(orders, concurrency) {
    let finished = 0;
    const worker = async () => {
      for (;;) {
        const run = await this.#store.claim();
        if (run === undefined) return;
        await this.#execute(run);
        finished += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    if (finished !== orders.length) throw new Error(`${finished} runs finished.`);
  }

  async verify(orders) {
    this.#refunds.requireOnce(orders);
    await this.#store.verify(orders);
  }

  close() {
    return this.#store.close();
  }

  async #execute({ id, fence, history, call, digest, decision }) {
    const messages = JSON.parse(history);
    const refund = JSON.parse(call);
    if (digestOf(refund) !== digest || JSON.parse(decision).kind !== 'approve') {
      throw new Error(`The call of run ${id} is not the approved one.`);
    }
    const claim = { id, fence, callId: refund.id };
    requireRow(await this.#store.startCall({ ...claim, digest }), 'start the call');
    const result = this.#refunds.execute(REFUND.schema.parse(refund.args));
    messages.push({ role: 'tool', id: refund.id, result });
    const outcome = JSON.stringify(result);
    const settled = { ...claim, outcome, history: JSON.stringify(messages) };
    requireRow(await this.#store.settleCall(settled), 'settle the call');
    const { text } = respond(messages);
    requireFinal(text);
    messages.push({ role: 'model', text });
    const finished = { id, fence, history: JSON.stringify(messages) };
    requireRow(await this.#store.finish(finished), 'finish');
  }
}

function respond(messages) {
  const last = messages.at(-1);
  return last.role === 'user' ? { calls: callsFor(last.text) } : { text: FINAL };
}

function digestOf({ id, name, args }) {
  return createHash('sha256')
    .update(JSON.stringify([id, name, args]))
    .digest('hex');
}

function requireRow(wasWritten, what) {
  if (!wasWritten) throw new Error(`Another worker has the run: cannot ${what}.`);
}
