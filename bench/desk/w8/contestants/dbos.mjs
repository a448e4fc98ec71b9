/** DBOS: a workflow of four steps that waits for a message. A parked workflow stays in the process. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { callsFor, FINAL, forEach, LOOKUP, REFUND, Refunds, requireFinal } from '../workload.mjs';

const TIMEOUT_SECONDS = 60;

export async function open({ url, connections }) {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: connections,
    logLevel: 'error',
  });
  const refunds = new Refunds();
  const workflow = DBOS.registerWorkflow((order) => refundOrder(order, refunds), { name: 'w8' });
  await DBOS.launch();
  return new DbosContestant(workflow, refunds);
}

async function refundOrder(order, refunds) {
  const step = (name, work) => DBOS.runStep(async () => work(), { name });
  const [lookup, refund] = await step('model', () => callsFor(order));
  await step('lookup', () => LOOKUP.execute(LOOKUP.schema.parse(lookup.args)));
  await DBOS.setEvent('pending', refund);
  const decision = await DBOS.recv('decision', TIMEOUT_SECONDS);
  if (decision !== 'approve') throw new Error('No decision arrived.');
  await step('refund', () => refunds.execute(REFUND.schema.parse(refund.args)));
  return step('model again', () => FINAL);
}

class DbosContestant {
  #workflow;
  #refunds;
  #handles = new Map();

  constructor(workflow, refunds) {
    this.#workflow = workflow;
    this.#refunds = refunds;
  }

  async park(orders, concurrency) {
    await forEach(orders, concurrency, async (order) => {
      this.#handles.set(
        order,
        await DBOS.startWorkflow(this.#workflow, { workflowID: order })(order),
      );
      const pending = await DBOS.getEvent(order, 'pending', TIMEOUT_SECONDS);
      if (pending === null) throw new Error('A run did not park.');
    });
  }

  async decide(orders, concurrency) {
    await forEach(orders, concurrency, (order) => DBOS.send(order, 'approve', 'decision'));
  }

  async resume(orders, concurrency) {
    await forEach(orders, concurrency, async (order) =>
      requireFinal(await this.#handles.get(order).getResult()),
    );
  }

  async verify(orders) {
    this.#refunds.requireOnce(orders);
  }

  close() {
    return DBOS.shutdown();
  }
}
