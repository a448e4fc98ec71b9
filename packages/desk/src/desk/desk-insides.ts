import { DeskError } from '../errors/desk-error.ts';
import { reporterOf } from '../errors/report-error.ts';
import type { TaskClaim } from '../model/task-row.ts';
import { WebhookSender } from '../notify/webhook-sender.ts';
import { Redaction } from '../redaction/redaction.ts';
import { markDelivered } from '../transitions/deliver.ts';
import { expireHold } from '../transitions/expire-hold.ts';
import { type TaskHandler, Worker } from '../worker/worker.ts';
import type { Store } from '../store/store.ts';
import { checkDeskOptions } from './check-desk-options.ts';
import { checkUrl } from './check-url.ts';
import { checkLimits } from './check-whole.ts';
import type { DeskInsides } from './desk.ts';
import type { AnyDeskAgent, InsideAgent } from './desk-agent.ts';
import type { DeskOptions } from './desk-options.ts';
import { withEventConsumer } from './event-consumer.ts';
import { type PolicyOptions, policyOf } from './policies.ts';
import { goOn, type RunSurroundings } from './go-on.ts';

const DEFAULT_LEASE_MS = 60_000;
const DEFAULT_TRIES = 5;
const DEFAULT_TOOL_TIMEOUT_MS = 15 * 60_000;

/** Makes what the desks of all tenants share: the worker, with what it does about each kind of task. */
export function deskInsides<Agents extends Readonly<Record<string, AnyDeskAgent>>>(
  options: DeskOptions<Agents>,
  served: Pick<PolicyOptions, 'mayAnswer' | 'notRequester'> = {},
): DeskInsides {
  // The types of deps and outputs do not matter here.
  checkDeskOptions(options as unknown as DeskOptions<Readonly<Record<string, AnyDeskAgent>>>);
  const { lease = DEFAULT_LEASE_MS, mostTries = DEFAULT_TRIES, onError } = options;
  const { toolTimeout = DEFAULT_TOOL_TIMEOUT_MS } = options;
  checkLimits({ lease, mostTries, toolTimeout, expiresAfter: options.expiresAfter });
  const names = Object.keys(options.agents);
  const redaction = new Redaction(options.redact);
  const { webhooks = [], notify } = options;
  const delivers = notify !== undefined || webhooks.length > 0;
  const store = delivers ? withEventConsumer(options.store) : options.store;
  const surroundings: RunSurroundings = {
    store,
    // The types of deps and outputs were checked by this signature; inside nobody looks at them.
    agents: options.agents as unknown as Readonly<Record<string, InsideAgent>>,
    lease,
    mostTries,
    toolTimeout,
    policy: policyOf(options, served),
    redaction,
    onError: reporterOf(onError),
  };
  const sender =
    webhooks.length === 0
      ? undefined
      : new WebhookSender({ store, webhooks, onError: surroundings.onError });
  const worker = new Worker({
    store,
    handlers: {
      run: (claim, signals) => goOn(surroundings, claim, signals),
      expiry: (claim) => expire(store, claim),
      // Without anybody to tell, others may have somebody.
      ...(delivers && {
        outbox: (claim: TaskClaim) => deliver({ store, notify }, sender, claim),
      }),
      ...(sender && { webhook: (claim, signals) => sender.deliver(claim, signals) }),
    } satisfies Partial<Record<TaskClaim['kind'], TaskHandler>>,
    async queuesIn(tx) {
      if (sender === undefined) return { run: names };
      const webhook = sender.receiversAt(await tx.now());
      return { run: names, ...(webhook && { webhook }) };
    },
    lease,
    onError: surroundings.onError,
  });
  const url = options.url && checkUrl('url', options.url);
  const { agents, policy } = surroundings;
  const reporting = { redaction, onError: surroundings.onError };
  return { store, worker, names: new Set(names), url, agents, policy, ...reporting };
}

type AnyOptions = Pick<DeskOptions<Readonly<Record<string, AnyDeskAgent>>>, 'store' | 'notify'>;

async function expire(store: Store, claim: TaskClaim): Promise<void> {
  await expireHold(store, claim);
}

async function deliver(
  { store, notify }: AnyOptions,
  sender: WebhookSender | undefined,
  claim: TaskClaim,
): Promise<void> {
  const event = await store.read((tx) => tx.outbox.get(claim.tenant, claim.id));
  if (event === undefined) throw new DeskError('not-found', `There is no event '${claim.id}'.`);
  // First: a hook that fails must not keep webhooks waiting.
  await sender?.handOn(event);
  await notify?.(event);
  await markDelivered(store, claim);
}
