import { UserError } from 'holdpoint';
import type { Policy } from '../approvers/policy.ts';
import { Engines } from '../engine/engines.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { Logger } from '../errors/logger.ts';
import { type ReportError, reporterOf } from '../errors/report-error.ts';
import { deskEvent } from '../model/desk-event.ts';
import { OUTSIDE_QUEUE } from '../model/request-facts.ts';
import type { TaskClaim } from '../model/task-row.ts';
import { WebhookSender } from '../notify/webhook-sender.ts';
import { Redaction } from '../redaction/redaction.ts';
import { checkRetention, type RetentionOptions } from '../retention/retention-options.ts';
import type { Store } from '../store/store.ts';
import { performRequest } from '../requests/doubt-request.ts';
import { RunStreams } from '../stream/run-streams.ts';
import { markDelivered } from '../transitions/deliver.ts';
import { expireHold } from '../transitions/expire-hold.ts';
import { type TaskHandler, Worker } from '../worker/worker.ts';
import { checkDeskOptions } from './check-desk-options.ts';
import { checkUrl } from './check-url.ts';
import { checkLimits } from '../model/check-whole.ts';
import type { AnyDeskAgents, RegisteredAgent } from './desk-agent.ts';
import type { DeskOptions } from './desk-options.ts';
import { withEventConsumer } from './event-consumer.ts';
import { executeRun } from './execute-run.ts';
import { reportSettled } from './settled-holds.ts';
import type { DeskTelemetry } from '../telemetry/desk-telemetry.ts';
import { type PolicyOptions, policyOf } from './policies.ts';
import { type DeclaredTools, outsideToolsOf, withOutsideTools } from './request-options.ts';
import type { ExecutionDeps } from './run-execution.ts';

/** A worker may miss two heartbeats: `docs/decisions/0039-engine-port.md` explains the value. */
const DEFAULT_LEASE_MS = 15_000;
const DEFAULT_MAX_ATTEMPTS = 5;
const DEFAULT_TOOL_TIMEOUT_MS = 15 * 60_000;

/** The parts that the desks of all tenants share. */
export interface DeskContext {
  readonly store: Store;
  readonly worker: Worker;
  /** The names of the agents. */
  readonly names: ReadonlySet<string>;
  readonly url: string | undefined;
  /** Reasons for denials that approvers choose from. */
  readonly denyReasons: readonly string[];
  readonly policy: Policy;
  /** The tools for which other programs can create requests. */
  readonly outsideTools: DeclaredTools;
  readonly agents: Readonly<Record<string, RegisteredAgent>>;
  readonly redaction: Redaction;
  /** Called with errors that no caller gets. */
  readonly onError: ReportError;
  /** Receives log lines that are not errors. */
  readonly logger: Logger;
  readonly telemetry: DeskTelemetry | undefined;
  readonly workers: RunningWorkers;
  /** The engines that are notified of due tasks. */
  readonly engines: Engines;
  /** Stops the observation of metrics. */
  readonly stopObserving: () => void;
  readonly retention: RetentionOptions;
  /** The runs that have readers in this process. */
  readonly streams: RunStreams;
}

/** The workers of a process, which `desk.close()` stops. */
export class RunningWorkers {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  /** Runs a worker until `signal` aborts or the desk is closed. */
  async run<Result>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const closing = this.#closing.signal;
    if (closing.aborted) {
      throw new UserError('The desk is closed, so it starts no worker. Call `openDesk` again.');
    }
    const running = work(signal === undefined ? closing : AbortSignal.any([signal, closing]));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Stops all workers, and waits until they have stopped. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }
}

/** Creates the parts that the desks of all tenants share, with a handler for each kind of task. */
export function createDeskContext<Agents extends AnyDeskAgents>(
  options: DeskOptions<Agents>,
  served: Pick<PolicyOptions, 'mayDecide' | 'notRequester'> = {},
): DeskContext {
  // The types of deps and outputs were checked by the signature.
  checkDeskOptions(options as unknown as DeskOptions<AnyDeskAgents>);
  const { lease = DEFAULT_LEASE_MS, maxAttempts = DEFAULT_MAX_ATTEMPTS } = options;
  const { toolTimeout = DEFAULT_TOOL_TIMEOUT_MS, webhooks = [], notify } = options;
  checkLimits({ lease, maxAttempts, toolTimeout, expiresAfter: options.expiresAfter });
  const { onError, logger } = reporterOf(options);
  const { telemetry } = options;
  const retention = checkRetention(options.retention);
  const url = options.url === undefined ? undefined : checkUrl('`url` of `openDesk`', options.url);
  const isConsumer = notify !== undefined || webhooks.length > 0;
  const engines = new Engines({
    onError,
    isPerforming: (...task) => worker.isPerforming(...task),
    deliversEvents: isConsumer,
  });
  const store = engines.notifiedBy(isConsumer ? withEventConsumer(options.store) : options.store);
  const sender =
    webhooks.length === 0 ? undefined : new WebhookSender({ store, url, webhooks, onError });
  const outsideTools = outsideToolsOf(options.requests);
  const deps: ExecutionDeps = {
    store,
    // The types of deps and outputs were checked by the signature.
    agents: options.agents as unknown as Readonly<Record<string, RegisteredAgent>>,
    lease,
    maxAttempts,
    toolTimeout,
    policy: withOutsideTools(policyOf(options, served), outsideTools),
    redaction: new Redaction(options.redact),
    streams: new RunStreams(store, onError),
    onError,
  };
  const names = Object.keys(options.agents);
  const deliver = async ({ tenant, id }: TaskClaim): Promise<void> => {
    const event = await store.read((tx) => tx.outbox.get(tenant, id));
    if (event === undefined) throw new DeskError('not-found', `There is no event \`${id}\`.`);
    // Webhooks first: a `notify` that fails must not delay them.
    if (sender !== undefined) await store.write((tx) => sender.enqueue(tx, event));
    await notify?.(deskEvent(event, url));
  };
  const worker: Worker = new Worker({
    store,
    handlers: {
      run: (claim, signals) =>
        claim.queue === OUTSIDE_QUEUE
          ? performRequest({ ...deps, report: onError }, claim)
          : executeRun(deps, claim, signals),
      expiry: async (claim) => {
        if ((await expireHold(store, claim)) !== 'expired') return;
        const hold = await store.read((tx) => tx.holds.get(claim.tenant, claim.id));
        if (hold !== undefined) await reportSettled({ store, telemetry, onError }, hold);
      },
      // A process without receivers leaves events to processes that have some.
      ...(isConsumer && {
        outbox: async (claim: TaskClaim) => {
          if (notify !== undefined) await deliver(claim);
          // Without `notify`, one transaction does everything.
          const enqueue = notify === undefined ? sender : undefined;
          await markDelivered(store, claim, async (tx, event) => enqueue?.enqueue(tx, event));
        },
      }),
      ...(sender && { webhook: (claim, signals) => sender.deliver(claim, signals) }),
    } satisfies Partial<Record<TaskClaim['kind'], TaskHandler>>,
    async queuesIn(tx) {
      const run = [...names, OUTSIDE_QUEUE];
      if (sender === undefined) return { run };
      const webhook = sender.receiversAt(await tx.now());
      return { run, ...(webhook && { webhook }) };
    },
    lease,
    onError,
    logger,
  });
  const { agents, policy, redaction, streams } = deps;
  const workers = new RunningWorkers();
  const running = { worker, workers, engines };
  const rules = { policy, outsideTools, redaction };
  const shared = { store, ...running, agents, ...rules, onError, logger, telemetry };
  const stopObserving = telemetry?.observe(() => store.read((tx) => tx.stats())) ?? (() => {});
  const denyReasons = Object.freeze([...(options.denyReasons ?? [])]);
  return { ...shared, denyReasons, retention, streams, stopObserving, names: new Set(names), url };
}
