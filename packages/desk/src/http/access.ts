import type { Desk } from '../desk/desk.ts';
import type { ReportError } from '../errors/report-error.ts';
import type { Delegator } from '../model/delegation-row.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { KeyScope } from '../model/key-scope.ts';
import type { RunRow } from '../model/run-row.ts';
import { DeskError } from '../errors/desk-error.ts';
import { notFound } from '../transitions/not-found.ts';
import type { Caller } from './caller.ts';
import { HttpProblem } from './http-problem.ts';

/** An action of a caller. Decisions are limited by `mayDecide` and the policy instead. */
export type DeskAction =
  | 'read'
  | 'start'
  | 'message'
  | 'cancel'
  | 'retry'
  | 'revoke'
  /** Requests a decision about a call of another program. */
  | 'request'
  /** Comments on a hold. */
  | 'comment'
  /** Delegates the caller's own approvals to another person. The target is the tenant. */
  | 'delegate'
  /** Erases and exports data, and replays tasks. Without `authorizeAction`, no caller may. */
  | 'administer';

/** The object of an action. */
export type ActionTarget =
  /** The agent of a new run. */
  | { readonly kind: 'agent'; readonly agent: string }
  /** The tool of a new request from outside. */
  | { readonly kind: 'tool'; readonly tool: string }
  /** A run, its audit and its events. An action on a conversation concerns all of its runs. */
  | { readonly kind: 'run'; readonly run: RunRow }
  | { readonly kind: 'hold'; readonly hold: HoldRow }
  | { readonly kind: 'grant'; readonly grant: GrantRow }
  /** All data of the tenant. */
  | { readonly kind: 'tenant'; readonly tenant: string };

/**
 * Decides if a caller may take an action inside their tenant. Only `true` permits it. If the function
 * throws, the action is rejected, and `onError` receives the error.
 *
 * A target that the caller may not read is reported as missing (404). Any other rejected action is
 * `forbidden` (403).
 */
export type AuthorizeAction = (
  caller: Caller,
  action: DeskAction,
  target: ActionTarget,
) => boolean | Promise<boolean>;

/** The scope that the key of a service account needs for an action. The route demands one, too. */
const SCOPES: Readonly<Partial<Record<DeskAction, KeyScope>>> = {
  read: 'read',
  request: 'request',
  administer: 'administer',
};

/** The rights of one caller. */
export class Access {
  readonly #desk: Desk;
  readonly #caller: Caller;
  readonly #authorize: AuthorizeAction | undefined;
  readonly #onError: ReportError;

  constructor(options: {
    readonly desk: Desk;
    readonly caller: Caller;
    readonly authorizeAction: AuthorizeAction | undefined;
    readonly onError: ReportError;
  }) {
    this.#desk = options.desk;
    this.#caller = options.caller;
    this.#authorize = options.authorizeAction;
    this.#onError = options.onError;
  }

  /** Returns true if the caller may take the action. */
  async may(action: DeskAction, target: ActionTarget): Promise<boolean> {
    const { account } = this.#caller;
    const scope = account && SCOPES[action];
    if (scope !== undefined && !account?.scopes.includes(scope)) return false;
    if (this.#authorize === undefined) return true;
    try {
      return (await this.#authorize(this.#caller, action, target)) === true;
    } catch (error) {
      this.#onError(error, { tenant: this.#caller.tenant });
      return false;
    }
  }

  /**
   * Returns true if the caller is an administrator of the tenant. Without `authorizeAction`, only service accounts whose
   * key has the scope are.
   */
  async isAdministrator(): Promise<boolean> {
    const { tenant, account } = this.#caller;
    const isDefined = this.#authorize !== undefined || account !== undefined;
    return isDefined && (await this.may('administer', { kind: 'tenant', tenant }));
  }

  /** Throws unless the caller is an administrator of the tenant. */
  async requireAdministrator(): Promise<void> {
    if (await this.isAdministrator()) return;
    throw new HttpProblem({
      status: 403,
      code: 'forbidden',
      message:
        'You are not an administrator of this desk. Nothing was written. The operator permits the action `administer` with `http.authorizeAction`.',
      details: { action: 'administer' },
    });
  }

  /** Throws unless the caller may take the action. */
  async require(action: DeskAction, target: ActionTarget): Promise<void> {
    const isNamed = target.kind !== 'agent' && target.kind !== 'tool' && target.kind !== 'tenant';
    if (isNamed && !(await this.may('read', target))) throw missing(target);
    if (action !== 'read' && !(await this.may(action, target))) throw forbidden(action);
  }

  /** Throws unless the caller may take the action on a run. */
  async requireRun(action: DeskAction, runId: string): Promise<void> {
    if (this.#authorize === undefined) return;
    await this.require(action, { kind: 'run', run: await this.#desk.run(runId) });
  }

  /** Throws unless the caller may take the action on a grant. */
  async requireGrant(action: DeskAction, grantId: string): Promise<void> {
    if (this.#authorize === undefined) return;
    await this.require(action, { kind: 'grant', grant: await this.#desk.grant(grantId) });
  }

  /** Throws unless the caller may take the action on every run of a conversation. */
  async requireConversation(action: DeskAction, conversationId: string): Promise<void> {
    if (this.#authorize === undefined) return;
    let isForbidden = false;
    let after: string | undefined;
    do {
      const page = await this.#desk.runs({ conversationId, after, limit: 500 });
      for (const run of page.items) {
        const target = { kind: 'run', run } as const;
        if (!(await this.may('read', target))) throw notFound('conversation', conversationId);
        isForbidden ||= action !== 'read' && !(await this.may(action, target));
      }
      after = page.next;
    } while (after !== undefined);
    if (isForbidden) throw forbidden(action);
  }

  /** Returns the rows that the caller may read. */
  async readable<Row>(
    rows: readonly Row[],
    targetOf: (row: Row) => ActionTarget,
  ): Promise<readonly Row[]> {
    if (this.#authorize === undefined) return rows;
    const readable: Row[] = [];
    for (const row of rows) if (await this.may('read', targetOf(row))) readable.push(row);
    return readable;
  }
}

function missing(target: Exclude<ActionTarget, { kind: 'agent' | 'tool' | 'tenant' }>): Error {
  if (target.kind === 'run') return notFound('run', target.run.id);
  return target.kind === 'hold'
    ? notFound('hold', target.hold.id)
    : notFound('grant', target.grant.id);
}

function forbidden(action: DeskAction): HttpProblem {
  return new HttpProblem({
    status: 403,
    code: 'forbidden',
    message: `You are not allowed to ${action} this. Nothing was written.`,
    details: { action },
  });
}

/**
 * Throws unless a caller may decide a hold, with their own authority or on behalf of one of these delegators. The
 * transaction that records the decision checks it again.
 */
export async function requireMayDecide(
  desk: Desk,
  caller: Caller,
  hold: HoldRow,
  delegators: readonly (Delegator | undefined)[] = [undefined],
): Promise<void> {
  const { person: by, roles } = caller;
  let whyNotDecide: string | undefined = 'You have no delegation for this decision.';
  for (const onBehalfOf of delegators) {
    ({ whyNotDecide } = await desk.rightsOf(hold, { by, roles, onBehalfOf }));
    if (whyNotDecide === undefined) return;
  }
  throw new DeskError('may-not-decide', `${whyNotDecide} Nothing was written.`);
}
