/** Restate: a workflow of four steps that waits for a durable promise. The server has its own store. */
import { createServer } from 'node:http2';
import * as restate from '@restatedev/restate-sdk';
import { freePort } from '../../servers/free-port.mjs';
import { callsFor, FINAL, forEach, LOOKUP, REFUND, Refunds, requireFinal } from '../workload.mjs';

const WORKFLOW = 'w8';

export async function open({ ingress, admin }) {
  const contestant = new RestateContestant(ingress);
  await contestant.serve(admin);
  return contestant;
}

class RestateContestant {
  #ingress;
  #server;
  #refunds = new Refunds();
  /** Functions to call when a run has parked. */
  #parked = new Map();

  constructor(ingress) {
    this.#ingress = ingress;
  }

  async serve(admin) {
    const port = await freePort();
    const services = [this.#workflow()];
    const logger = () => {};
    this.#server = createServer(restate.createEndpointHandler({ services, logger }));
    await new Promise((resolve) => {
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    const uri = `http://127.0.0.1:${port}`;
    await request(`${admin}/deployments`, { uri, force: true });
  }

  async park(orders, concurrency) {
    await forEach(orders, concurrency, async (order) => {
      const parked = new Promise((resolve) => {
        this.#parked.set(order, resolve);
      });
      await request(`${this.#ingress}/${WORKFLOW}/${order}/run/send`, order);
      await parked;
    });
  }

  async decide(orders, concurrency) {
    await forEach(orders, concurrency, (order) =>
      request(`${this.#ingress}/${WORKFLOW}/${order}/decide`, 'approve'),
    );
  }

  async resume(orders, concurrency) {
    await forEach(orders, concurrency, async (order) =>
      requireFinal(await request(`${this.#ingress}/restate/workflow/${WORKFLOW}/${order}/attach`)),
    );
  }

  async verify(orders) {
    this.#refunds.requireOnce(orders);
  }

  async close() {
    this.#server.close();
  }

  #workflow() {
    return restate.workflow({
      name: WORKFLOW,
      handlers: {
        run: async (context, order) => {
          const [lookup, refund] = await context.run('model', () => callsFor(order));
          await context.run('lookup', () => LOOKUP.execute(LOOKUP.schema.parse(lookup.args)));
          context.set('pending', refund);
          this.#parked.get(order)?.();
          const decision = await context.promise('decision');
          if (decision !== 'approve') throw new restate.TerminalError('The call was denied.');
          await context.run('refund', () =>
            this.#refunds.execute(REFUND.schema.parse(refund.args)),
          );
          return context.run('model again', () => FINAL);
        },
        decide: async (context, decision) => {
          await context.promise('decision').resolve(decision);
        },
      },
    });
  }
}

async function request(url, body) {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, body === undefined ? {} : post);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 200)}`);
  return text === '' ? undefined : JSON.parse(text);
}
