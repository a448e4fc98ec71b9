import type { RolesOf } from '../approvers/delegated.ts';
import type { EffectiveCall } from '../approvers/effective-call.ts';
import type { Approvers, MayDecide, Shadow } from '../approvers/policy.ts';
import type { Logger } from '../errors/logger.ts';
import type { OnError } from '../errors/report-error.ts';
import type { DeskEvent } from '../model/desk-event.ts';
import type { WebhookOptions } from '../notify/webhook-options.ts';
import type { Redact } from '../redaction/redact.ts';
import type { RetentionOptions } from '../retention/retention-options.ts';
import type { Store } from '../store/store.ts';
import type { DeskTelemetry } from '../telemetry/desk-telemetry.ts';
import type { AnyDeskAgents, DeskAgent, ToolNamesOf } from './desk-agent.ts';
import type { RequestOptions } from './request-options.ts';

export type { Approvers, MayDecide, Shadow };

/** The facts about a call that a policy receives. */
export type DeferredCallInfo = EffectiveCall;

/** Options of a desk. */
export interface DeskOptions<
  Agents extends AnyDeskAgents,
  DynamicTool extends string = string,
  OutsideTool extends string = string,
> {
  /** The database, such as `await sqliteStore({ path })`. `desk.close()` closes it. */
  readonly store: Store;
  /** The agents by the names under which runs are started. Runs store the name, so do not change it. */
  readonly agents: { readonly [Name in keyof Agents]: DeskAgent<Agents[Name]> };
  /**
   * The time in which a call must be decided, in milliseconds; no limit by default. A call in doubt expires only
   * if a function returns a time for it.
   */
  readonly expiresAfter?: number | ((call: DeferredCallInfo) => number | undefined) | undefined;
  /**
   * The approvers of a call, and the number of approvals. It is evaluated when a call is deferred and again whenever a
   * decision is recorded, on the validated arguments that would execute. The requirement that is stored with
   * the hold is a minimum. If it fails, nothing is decided: the run is stuck, or the decision is rejected.
   */
  readonly approvers?: Approvers<ToolNamesOf<Agents> | NoInfer<DynamicTool>> | undefined;
  /**
   * The names of tools that are known only in a run: of an MCP server, of a toolset that a function creates, or of a
   * sub-agent. A rule in `approvers` for another name than those of the agents' tools is an error.
   */
  readonly dynamicTools?: readonly DynamicTool[] | undefined;
  /**
   * The tools for which other programs can request approvals. Each has its own rule. `mayDecide`
   * and `notRequester` apply in addition. Pass the same tools in every process of the desk.
   */
  readonly requests?: RequestOptions<OutsideTool> | undefined;
  /** Returns whether an approver may decide a hold, over HTTP, by a link or in this process. */
  readonly mayDecide?: MayDecide | undefined;
  /** Set to demand separation of duties for every call, in addition to its rule. */
  readonly notRequester?: boolean | undefined;
  /**
   * Returns the roles that a person has now; `undefined` if the person has left. With it, a delegate can use only those
   * roles of a delegation that the delegator still has, and a decision link has only those that its person still has.
   */
  readonly rolesOf?: RolesOf | undefined;
  /** Reasons for denials that approvers choose from in the inbox. They can also write another one. */
  readonly denyReasons?: readonly string[] | undefined;
  /**
   * Tries a policy out: a call for which it returns `true` executes, and the audit records that it would have been
   * held. Calls in doubt and external calls are held nevertheless.
   */
  readonly shadow?: Shadow | undefined;
  /**
   * The parts of tool calls that people do not see. The stored call and the executed call stay complete. Pass
   * the same rules in every process that uses the store.
   */
  readonly redact?: Redact | undefined;
  /** Receives every event at least once. If it throws, the event is delivered again later. */
  readonly notify?: ((event: DeskEvent) => void | Promise<void>) | undefined;
  /**
   * Receivers of events over HTTP. Each gets every event at least once. Pass the same receivers in every process
   * that runs a worker: the worker that claims an event sends it to all of them.
   */
  readonly webhooks?: readonly WebhookOptions[] | undefined;
  /**
   * The ages after which data is deleted; by default nothing is deleted. A worker applies them
   * every hour, and `applyRetention` immediately. Pass the same ages in every process that runs a
   * worker.
   */
  readonly retention?: RetentionOptions | undefined;
  /** The address of the desk, such as `https://example.com/desk`: for links, and to recognise its own site. */
  readonly url?: string | undefined;
  /** The time after which a worker without a heartbeat loses a run or a call, in milliseconds; 15 seconds by default. */
  readonly lease?: number | undefined;
  /**
   * The time that a tool may take, in milliseconds, if neither the tool nor its agent sets one; 15 minutes by
   * default. A call that takes longer is in doubt, or repeated if its tool is `readOnly` or `idempotent`.
   */
  readonly toolTimeout?: number | undefined;
  /** The number of attempts without progress after which a run is stuck; 5 by default. */
  readonly maxAttempts?: number | undefined;
  /**
   * Receives log lines: failed attempts, stuck runs, lost leases, webhooks that were given up, rejected
   * sign-ins. By default they are written as JSON, one line each, on standard error. You can pass a
   * logger of `pino`.
   */
  readonly logger?: Logger | undefined;
  /** Receives facts for traces and metrics. Create it with `deskOtel` of `@holdpoint/desk/otel`. */
  readonly telemetry?: DeskTelemetry | undefined;
  /**
   * Receives every error that no caller gets, as it was thrown. Such errors are then not logged, unless `logger` is
   * given, too.
   */
  readonly onError?: OnError | undefined;
}
