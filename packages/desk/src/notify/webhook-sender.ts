import type { ReportError } from '../errors/report-error.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { DeliveryRow } from '../model/delivery-row.ts';
import { deskEvent } from '../model/desk-event.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store, Tx } from '../store/store.ts';
import { enqueueDeliveries } from '../transitions/enqueue-deliveries.ts';
import {
  giveUpDelivery,
  recordDelivered,
  recordUndelivered,
} from '../transitions/settle-delivery.ts';
import { postponeTask } from '../transitions/tasks.ts';
import type { TaskSignals } from '../worker/worker.ts';
import { deliveryPause } from './delivery-pause.ts';
import { type Receiver, receiversOf } from './receiver.ts';
import { sendWebhook } from './send-webhook.ts';
import { WebhookGivenUpError } from './webhook-error.ts';
import type { WebhookOptions } from './webhook-options.ts';

/** The number of attempts after which a delivery is given up. */
const MAX_ATTEMPTS = 10;
/**
 * The time after which a delivery is given up, regardless of the number of attempts, in
 * milliseconds.
 */
const MAX_AGE_MS = 3 * 24 * 60 * 60_000;
/** The pause until a process that has the receiver may send it, in milliseconds. */
const STRANGER_PAUSE_MS = 5 * 60_000;
/** The number of consecutive claims for receivers that this process does not have. */
const STRANGERS_AT_ONCE = 20;

/** Options of the sender of webhooks. */
export interface WebhookSenderOptions {
  readonly store: Store;
  /** The address of the desk, for links in events. */
  readonly url?: string | undefined;
  readonly webhooks: readonly WebhookOptions[];
  readonly onError: ReportError;
}

/** A due delivery with its event and receiver. */
interface DueDelivery {
  readonly row: DeliveryRow;
  readonly event: OutboxRow;
  readonly now: number;
}

/**
 * A sender of events to receivers. Each receiver gets each event at least once, independently of
 * the others.
 */
export class WebhookSender {
  readonly #store: Store;
  readonly #url: string | undefined;
  readonly #receivers: ReadonlyMap<string, Receiver>;
  readonly #onError: ReportError;
  #nextStrangers = 0;
  #strangersLeft = 0;

  constructor({ store, url, webhooks, onError }: WebhookSenderOptions) {
    this.#store = store;
    this.#url = url;
    this.#receivers = receiversOf(webhooks);
    this.#onError = onError;
  }

  /**
   * Returns the receivers to which deliveries can be sent now. Deliveries to others stay queued
   * without a write. Periodically returns `undefined`, which means all receivers, so that
   * deliveries to removed receivers are given up.
   */
  receiversAt(now: number): readonly string[] | undefined {
    if (now >= this.#nextStrangers) {
      this.#nextStrangers = now + STRANGER_PAUSE_MS;
      this.#strangersLeft = STRANGERS_AT_ONCE;
    }
    if (this.#strangersLeft > 0) {
      this.#strangersLeft -= 1;
      return undefined;
    }
    const available = [...this.#receivers.values()].filter(({ health }) => health.isAvailable(now));
    return available.map(({ id }) => id);
  }

  /** Enqueues a delivery for each receiver of an event. */
  async enqueue(tx: Tx, event: OutboxRow): Promise<void> {
    const receivers = [...this.#receivers.values()].filter((one) => one.wants(event));
    if (receivers.length > 0) await enqueueDeliveries(tx, event, receivers);
  }

  /** Sends one event to one receiver. */
  async deliver(
    claim: TaskClaim,
    { lost, stopping }: Pick<TaskSignals, 'lost' | 'stopping'>,
  ): Promise<void> {
    const due = await this.#dueOf(claim);
    const receiver = this.#receivers.get(due.row.receiver);
    if (receiver === undefined) return this.#leaveToOthers(claim, due);
    const pause = receiver.health.admit(due.now);
    if (pause > 0) return this.#wait(claim, due, pause);
    const begun = performance.now();
    const sent = await sendWebhook(receiver, deskEvent(due.event, this.#url), [lost, stopping]);
    if (sent.status === 'delivered') {
      receiver.health.recordSuccess();
      return recordDelivered(this.#store, claim, due.row);
    }
    if (lost.aborted || stopping.aborted) {
      receiver.health.recordNothing();
      await postponeTask(this.#store, claim, 0);
      return;
    }
    receiver.health.recordFailure(due.now + performance.now() - begun);
    const { problem, forGood } = sent;
    const attempts = due.row.attempts + 1;
    if (forGood || attempts >= MAX_ATTEMPTS) return this.#giveUp(claim, due, problem, attempts);
    await recordUndelivered(this.#store, claim, due.row, {
      problem,
      pause: deliveryPause(attempts),
    });
  }

  /** Postpones a delivery while the receiver is paused. It does not count as an attempt. */
  async #wait(claim: TaskClaim, due: DueDelivery, pause: number): Promise<void> {
    if (!isOld(due)) return void (await postponeTask(this.#store, claim, pause));
    await this.#giveUp(
      claim,
      due,
      due.row.problem ?? 'The receiver does not respond.',
      due.row.attempts,
    );
  }

  /** Leaves a delivery to a process that has the receiver. */
  #leaveToOthers(claim: TaskClaim, due: DueDelivery): Promise<void> {
    if (isOld(due))
      return this.#giveUp(claim, due, 'No process has this receiver any more.', due.row.attempts);
    return postponeTask(this.#store, claim, STRANGER_PAUSE_MS).then(() => {});
  }

  async #giveUp(
    claim: TaskClaim,
    { row, event }: DueDelivery,
    problem: string,
    attempts: number,
  ): Promise<void> {
    await giveUpDelivery(this.#store, claim, row, { event, problem, attempts });
    const { tenant, runId } = event;
    this.#onError(new WebhookGivenUpError(event.id, row.host, problem), { tenant, runId });
  }

  async #dueOf({ tenant, id }: TaskClaim): Promise<DueDelivery> {
    const [eventId = '', receiver = ''] = id.split('.');
    const due = await this.#store.read(async (tx) => {
      const row = await tx.deliveries.get(tenant, eventId, receiver);
      const event = await tx.outbox.get(tenant, eventId);
      return row && event && { row, event, now: await tx.now() };
    });
    if (due === undefined) throw new DeskError('not-found', `There is no delivery \`${id}\`.`);
    return due;
  }
}

function isOld({ row, now }: DueDelivery): boolean {
  return now - row.createdAt > MAX_AGE_MS;
}
