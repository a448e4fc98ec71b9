import { type JsonObject, UserError } from 'holdpoint';
import { pathsOfProblems } from '../approvers/validate-edit.ts';
import { ArgumentsDoNotFitError } from '../errors/arguments-do-not-fit-error.ts';
import { DeskError } from '../errors/desk-error.ts';
import { adviceFor, checkOptions, type KeysOf, kindOf } from '../model/check-keys.ts';
import { hashOf } from '../model/hash.ts';
import { toJson } from '../model/json.ts';
import type { Page, PageQuery } from '../model/page.ts';
import type { Person } from '../model/person.ts';
import { claimRequest, extendClaim, releaseClaim } from '../requests/claim-request.ts';
import type { RequestClaim } from '../requests/claim-request.ts';
import { agentOf, createRequest, type RequestDeps } from '../requests/create-request.ts';
import { type DeskRequest, readRequest, requestOf } from '../requests/read-request.ts';
import { cancelRequest, type Settlement, settleRequest } from '../requests/settle-request.ts';
import { requesterKeyOf } from '../transitions/accept-once.ts';
import { type CallbackAddress, createClaimCallback } from './callbacks.ts';
import { checkPerson } from './check-decision.ts';
import { checkName } from './check-name.ts';
import { checkJson, checkJsonObject } from './check-json.ts';
import { checkId } from './check-query.ts';
import { checkWhole } from '../model/check-whole.ts';
import type { DeskContext } from './desk-context.ts';
import {
  type ByOption,
  checkBy,
  requireOneOf,
  requireSignal,
  type WaitOptions,
} from './method-options.ts';
import { checkSchema, NEW_REQUEST_OPTIONS, type NewRequestOptions } from './request-options.ts';
import { waitUntil } from './work.ts';

/** Options of a claim. */
export interface ClaimRequestOptions {
  /** The owner of the request. */
  readonly by: Person;
  /** The duration of the lease, in milliseconds; a minute by default. Extend it with `heartbeat`. */
  readonly lease?: number | undefined;
  /**
   * A random text that only this executor knows, as the token of the claim. A claim that is repeated with it returns
   * the same claim, so a lost response does no harm. The desk creates one by default.
   */
  readonly token?: string | undefined;
}

/** Options of operations on a claimed request. */
export interface ClaimedRequestOptions {
  readonly by: Person;
  /** The token of the claim. */
  readonly token: string;
}

/** Options of `heartbeat`. */
export interface HeartbeatOptions extends ClaimedRequestOptions {
  /** The duration of the lease from now on, in milliseconds; a minute by default. */
  readonly lease?: number | undefined;
}

/** Options of `callbackUrl`. */
export interface ClaimCallbackOptions extends ClaimedRequestOptions {
  /** The time until the address expires, in milliseconds; a day by default. */
  readonly expiresAfter?: number | undefined;
}

/** Options of `waitFor`. */
export interface WaitForRequestOptions extends WaitOptions {
  /** The end of the wait: the decision (by default), or the end of the request. */
  readonly until?: 'decision' | 'end' | undefined;
}

const CLAIM_OPTIONS: KeysOf<ClaimRequestOptions> = { by: true, lease: true, token: true };
const CLAIMED_OPTIONS: KeysOf<ClaimedRequestOptions> = { by: true, token: true };
const HEARTBEAT_OPTIONS: KeysOf<HeartbeatOptions> = { by: true, token: true, lease: true };
const CALLBACK_OPTIONS: KeysOf<ClaimCallbackOptions> = {
  by: true,
  token: true,
  expiresAfter: true,
};
const LIST_OPTIONS: KeysOf<PageQuery & ByOption> = { by: true, after: true, limit: true };
const WAIT_OPTIONS: KeysOf<WaitForRequestOptions> = {
  signal: true,
  timeoutMs: true,
  until: true,
};

const DEFAULT_LEASE_MS = 60_000;
const MAX_LEASE_MS = 24 * 60 * 60_000;
const MIN_TOKEN_LENGTH = 16;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** The requests from outside of one tenant. `desk.requests` returns it, and `desk.request` creates one. */
export class DeskRequests {
  readonly #tenant: string;
  readonly #context: DeskContext;
  readonly #deps: RequestDeps;

  /** @internal Use `desk.requests`. */
  constructor(tenant: string, context: DeskContext) {
    const { store, policy, redaction, onError } = context;
    this.#tenant = tenant;
    this.#context = context;
    this.#deps = { store, policy, redaction, report: onError };
  }

  /** @internal Use `desk.request`. */
  async create(tool: string, args: JsonObject, options: NewRequestOptions): Promise<DeskRequest> {
    checkOptions<NewRequestOptions>('`desk.request`', options, NEW_REQUEST_OPTIONS);
    const tools = this.#context.outsideTools;
    const declared = tools.get(checkName('name of a tool', tool));
    if (declared === undefined) throw unknownTool(tool, [...tools.keys()]);
    const owner = checkPerson('the owner', options.by);
    const { description, context, preview, expiresAfter, idempotencyKey } = options;
    if (expiresAfter !== undefined) checkWhole('expiresAfter', expiresAfter);
    const schema = schemaFor(tool, declared.schema, options.schema);
    const given = {
      toolName: tool,
      args: checkJsonObject('args', args),
      schema,
      title: declared.title,
      description: description === undefined ? undefined : checkDescription(description),
      preview: preview === undefined ? undefined : checkJson('preview', preview),
      context: context === undefined ? undefined : checkJsonObject('context', context),
      owner,
      requester:
        options.requester === undefined ? owner : checkPerson('the requester', options.requester),
      expiresAfter,
    };
    requireFitting(given.args, schema);
    // The declaration of the tool may change with a deployment, and a retry must not fail because of it.
    const { title: _, owner: __, requester, ...sent } = given;
    const hashed = { ...sent, schema: declared.schema === undefined ? schema : undefined };
    const parts = toJson({ ...hashed, requester: requesterKeyOf(requester) });
    const run = await createRequest(this.#deps, this.#tenant, {
      ...given,
      idempotencyKey:
        idempotencyKey === undefined ? undefined : checkName('idempotencyKey', idempotencyKey),
      hash: hashOf('holdpoint/new-request/1', parts),
    });
    return this.get(run.id);
  }

  /** Returns a request. */
  get(requestId: string): Promise<DeskRequest> {
    const id = checkId('requestId', requestId);
    return this.#context.store.read((tx) => readRequest(tx, this.#tenant, id));
  }

  /** Lists the requests of an owner, the latest first. */
  async list(query: PageQuery & ByOption): Promise<Page<DeskRequest>> {
    checkOptions<PageQuery & ByOption>('`desk.requests.list`', query, LIST_OPTIONS);
    const { by, ...page } = query;
    const agent = agentOf(checkPerson('the owner', by));
    return this.#context.store.read(async (tx) => {
      const runs = await tx.runs.list(this.#tenant, { ...page, agent });
      const items: DeskRequest[] = [];
      for (const run of runs.items) {
        // A request whose holds were deleted by age has nothing left to show.
        if (run.holdsErasedAt === undefined) items.push(await requestOf(tx, run));
      }
      return { ...runs, items };
    });
  }

  /**
   * Resolves with a request when it has a decision, or when it has ended. It rejects with the reason of `signal`, or with
   * a `TimeoutError` after `timeoutMs`.
   */
  async waitFor(requestId: string, options: WaitForRequestOptions = {}): Promise<DeskRequest> {
    checkOptions<WaitForRequestOptions>('`desk.requests.waitFor`', options, WAIT_OPTIONS);
    requireSignal('requests.waitFor', options.signal);
    const { until = 'decision', ...wait } = options;
    requireOneOf('until', until, ['decision', 'end']);
    return waitUntil(
      this.#context,
      this.#tenant,
      wait,
      () => this.get(requestId),
      (request) => !isAwaited(request, until),
    );
  }

  /** Cancels a request whose call was not claimed. */
  async cancel(requestId: string, options: ByOption): Promise<DeskRequest> {
    const by = checkPerson('the owner', checkBy('requests.cancel', options).by);
    await cancelRequest(this.#deps, this.#tenant, checkId('requestId', requestId), by);
    return this.get(requestId);
  }

  /**
   * Claims the call of an approved request, once. Execute it only with this claim, extend the lease while it executes, and
   * settle it. After the lease the call is in doubt, and a person decides about it.
   */
  async claim(requestId: string, options: ClaimRequestOptions): Promise<RequestClaim> {
    checkOptions<ClaimRequestOptions>('`desk.requests.claim`', options, CLAIM_OPTIONS);
    const { token } = options;
    const by = checkPerson('the owner', options.by);
    return claimRequest(this.#deps, this.#tenant, checkId('requestId', requestId), {
      by,
      token: token === undefined ? undefined : checkToken(token),
      lease: leaseOf(options.lease),
    });
  }

  /** Extends the lease of a claim. Returns the time at which it ends, in milliseconds since 1970. */
  async heartbeat(requestId: string, options: HeartbeatOptions): Promise<number> {
    checkOptions<HeartbeatOptions>('`desk.requests.heartbeat`', options, HEARTBEAT_OPTIONS);
    const by = checkPerson('the owner', options.by);
    const claim = { by, token: checkToken(options.token), lease: leaseOf(options.lease) };
    return extendClaim(this.#deps, this.#tenant, checkId('requestId', requestId), claim);
  }

  /** Releases a claim whose call has not started. The call can be claimed again. */
  async release(requestId: string, options: ClaimedRequestOptions): Promise<DeskRequest> {
    checkOptions<ClaimedRequestOptions>('`desk.requests.release`', options, CLAIMED_OPTIONS);
    const by = checkPerson('the owner', options.by);
    const claim = { by, token: checkToken(options.token) };
    await releaseClaim(this.#deps, this.#tenant, checkId('requestId', requestId), claim);
    return this.get(requestId);
  }

  /** Records how the claimed call ended. */
  async settle(
    requestId: string,
    settlement: Settlement,
    options: ClaimedRequestOptions,
  ): Promise<DeskRequest> {
    checkOptions<ClaimedRequestOptions>('`desk.requests.settle`', options, CLAIMED_OPTIONS);
    const by = checkPerson('the owner', options.by);
    const claim = { by, token: checkToken(options.token) };
    const given = { ...claim, settlement: checkSettlement(settlement) };
    await settleRequest(this.#deps, this.#tenant, checkId('requestId', requestId), given);
    return this.get(requestId);
  }

  /**
   * Creates an address at which another program settles the claimed call by `POST`, once, as `{ value }` or `{ error }`.
   * The claim must have its lease then. It needs the `url` of the desk. The address is a secret.
   */
  async callbackUrl(requestId: string, options: ClaimCallbackOptions): Promise<string> {
    return (await this.createCallback(requestId, options)).url;
  }

  /** @internal Use `callbackUrl`. */
  async createCallback(requestId: string, options: ClaimCallbackOptions): Promise<CallbackAddress> {
    checkOptions<ClaimCallbackOptions>('`desk.requests.callbackUrl`', options, CALLBACK_OPTIONS);
    const { expiresAfter } = options;
    const by = checkPerson('the owner', options.by);
    const given = { by, token: checkToken(options.token), expiresAfter };
    return createClaimCallback(this.#context, this.#tenant, checkId('requestId', requestId), given);
  }
}

function isAwaited({ state }: DeskRequest, until: 'decision' | 'end'): boolean {
  if (state === 'pending' || state === 'in-doubt') return true;
  return until === 'end' && (state === 'approved' || state === 'claimed');
}

function schemaFor(
  tool: string,
  declared: JsonObject | undefined,
  sent: JsonObject | undefined,
): JsonObject {
  if (declared !== undefined && sent !== undefined) {
    throw new UserError(
      `The schema of tool \`${tool}\` is declared in \`requests.tools\`. Leave \`schema\` out.`,
    );
  }
  const schema = declared ?? sent;
  if (schema !== undefined) return checkSchema('`schema`', schema);
  throw new UserError(
    `Tool \`${tool}\` has no schema, so edits could not be validated. Send \`schema\`, or declare it in \`requests.tools\`.`,
  );
}

function requireFitting(args: JsonObject, schema: JsonObject): void {
  const problems = pathsOfProblems(schema, args);
  if (problems === undefined) {
    throw new UserError('The schema needs too much work to be validated. Send a simpler `schema`.');
  }
  if (problems.length > 0) throw new ArgumentsDoNotFitError(problems);
}

function checkDescription(text: string): string {
  if (typeof text === 'string' && text.length <= MAX_DESCRIPTION_LENGTH) return text;
  throw new UserError(
    `\`description\` is not a text of at most ${MAX_DESCRIPTION_LENGTH} characters. Shorten it.`,
  );
}

function checkToken(token: string): string {
  const name = checkName('token', token);
  if (name.length >= MIN_TOKEN_LENGTH) return name;
  throw new UserError(
    `The token has fewer than ${MIN_TOKEN_LENGTH} characters. Pass a random one, such as a UUID.`,
  );
}

function leaseOf(lease: number | undefined): number {
  const ms = checkWhole('lease', lease ?? DEFAULT_LEASE_MS);
  if (ms <= MAX_LEASE_MS) return ms;
  throw new UserError(`\`lease\` is ${ms}. Pass at most ${MAX_LEASE_MS}, and use \`heartbeat\`.`);
}

function checkSettlement(settlement: Settlement): Settlement {
  // Programs without types pass anything.
  const kind: unknown = Object(settlement).kind;
  switch (kind) {
    case 'value': {
      const { value } = membersOf(settlement, kind, { kind: true, value: true });
      return { kind, value: checkJson('value', value) };
    }
    case 'error': {
      const { message } = membersOf(settlement, kind, { kind: true, message: true });
      return { kind, message: textOf('`message`', message) };
    }
    case 'unknown': {
      const { reason } = membersOf(settlement, kind, { kind: true, reason: true });
      return { kind, reason: textOf('`reason`', reason) };
    }
    default:
      throw new UserError(
        `The \`kind\` of the settlement is ${kindOf(kind)}. Use one of: value, error, unknown.`,
      );
  }
}

/** Returns a settlement of a kind, which has no other members. */
function membersOf<Kind extends Settlement['kind']>(
  settlement: Settlement,
  kind: Kind,
  known: KeysOf<Extract<Settlement, { readonly kind: Kind }>>,
): Extract<Settlement, { readonly kind: Kind }> {
  const given: unknown = settlement;
  checkOptions<Extract<Settlement, { readonly kind: Kind }>>(
    `a settlement of the kind \`${kind}\``,
    given,
    known,
  );
  return given;
}

function textOf(what: string, text: string): string {
  // Programs without types pass anything.
  const given: unknown = text;
  if (typeof given === 'string') return given;
  throw new UserError(`${what} is ${kindOf(given)}. Pass a text.`);
}

function unknownTool(name: string, known: readonly string[]): DeskError {
  return new DeskError(
    'unknown-tool',
    `This desk has no policy for requests of tool \`${name}\`. Nothing was written. ${adviceFor(name, known)} The operator declares tools in \`requests.tools\`.`,
  );
}
