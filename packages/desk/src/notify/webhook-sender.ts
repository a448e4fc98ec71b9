import type { ReportError } from '../errors/report-error.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { DeliveryRow } from '../model/delivery-row.ts';
import type { OutboxRow } from '../model/outbox-row.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { handOnEvent } from '../transitions/hand-on-event.ts';
import { giveUpDelivery, noteDelivered, noteUndelivered } from '../transitions/settle-delivery.ts';
import { postponeTask } from '../transitions/tasks.ts';
import type { TaskSignals } from '../worker/worker.ts';
import { deliveryPause } from './delivery-pause.ts';
import { type Receiver, receiversOf } from './receiver.ts';
import { sendWebhook } from './send-webhook.ts';
import { WebhookGivenUpError } from './webhook-error.ts';
import type { WebhookOptions } from './webhook-options.ts';

/** After so many tries a delivery is given up. */
const MOST_TRIES = 10;
/** After this time it is given up, however often it was tried, in milliseconds. */
const LONGEST_MS = 3 * 24 * 60 * 60_000;
/** How long to wait for a process that knows the receiver, in milliseconds. */
const STRANGER_PAUSE_MS = 5 * 60_000;
/** How many claims may be about receivers that this process does not know, each time. */
const STRANGERS_AT_ONCE = 20;

/** What webhooks are sent with. */
export interface WebhookSenderOptions {
  readonly store: Store;
  readonly webhooks: readonly WebhookOptions[];
  readonly onError: ReportError;
}

/** A delivery that is due, with all that belongs to it. */
interface DueDelivery {
  readonly row: DeliveryRow;
  readonly event: OutboxRow;
  readonly now: number;
}

/** Tells receivers of what happens: each of them at least once, and each on its own. */
export class WebhookSender {
  readonly #store: Store;
  readonly #receivers: ReadonlyMap<string, Receiver>;
  readonly #onError: ReportError;
  #nextStrangers = 0;
  #strangersLeft = 0;

  constructor({ store, webhooks, onError }: WebhookSenderOptions) {
    this.#store = store;
    this.#receivers = receiversOf(webhooks);
    this.#onError = onError;
  }

  /**
   * The receivers to which deliveries can be sent now: those to others stay where they are, without any
   * writes. `undefined` for all, now and then, so that deliveries to receivers that no process knows any more
   * come to an end.
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

  /** Has all receivers that want to know of an event be told of it. */
  async handOn(event: OutboxRow): Promise<void> {
    const receivers = [...this.#receivers.values()].filter((one) => one.wants(event));
    if (receivers.length > 0) await handOnEvent(this.#store, event, receivers);
  }

  /** Tells one receiver of one event. */
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
    const sent = await sendWebhook(receiver, due.event, [lost, stopping]);
    if (sent.status === 'delivered') {
      receiver.health.noteSuccess();
      return noteDelivered(this.#store, claim, due.row);
    }
    if (lost.aborted || stopping.aborted) {
      receiver.health.noteNothing();
      await postponeTask(this.#store, claim, 0);
      return;
    }
    receiver.health.noteFailure(due.now + performance.now() - begun);
    const { problem, forGood } = sent;
    const tries = due.row.tries + 1;
    if (forGood || tries >= MOST_TRIES) return this.#giveUp(claim, due, problem, tries);
    await noteUndelivered(this.#store, claim, due.row, { problem, pause: deliveryPause(tries) });
  }

  /** Somebody else asks the receiver already, or it rests. That is no try. */
  async #wait(claim: TaskClaim, due: DueDelivery, pause: number): Promise<void> {
    if (!isOld(due)) return void (await postponeTask(this.#store, claim, pause));
    await this.#giveUp(claim, due, due.row.problem ?? 'It does not answer.', due.row.tries);
  }

  /** This process was not told of the receiver; another one may have been. */
  #leaveToOthers(claim: TaskClaim, due: DueDelivery): Promise<void> {
    if (isOld(due)) return this.#giveUp(claim, due, 'Nobody knows it any more.', due.row.tries);
    return postponeTask(this.#store, claim, STRANGER_PAUSE_MS).then(() => {});
  }

  async #giveUp(
    claim: TaskClaim,
    { row, event }: DueDelivery,
    problem: string,
    tries: number,
  ): Promise<void> {
    await giveUpDelivery(this.#store, claim, row, { event, problem, tries });
    this.#onError(new WebhookGivenUpError(event.id, row.host, problem));
  }

  async #dueOf({ tenant, id }: TaskClaim): Promise<DueDelivery> {
    const [eventId = '', receiver = ''] = id.split('.');
    const due = await this.#store.read(async (tx) => {
      const row = await tx.deliveries.get(tenant, eventId, receiver);
      const event = await tx.outbox.get(tenant, eventId);
      return row && event && { row, event, now: await tx.now() };
    });
    if (due === undefined) throw new DeskError('not-found', `There is no delivery '${id}'.`);
    return due;
  }
}

function isOld({ row, now }: DueDelivery): boolean {
  return now - row.createdAt > LONGEST_MS;
}
