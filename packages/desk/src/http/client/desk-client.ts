import type { JsonObject } from 'holdpoint';
import type { GrantQuery, Page, PageQuery, RunQuery } from '../../model/page.ts';
import type { ErasureReport, PersonErasureReport } from '../../retention/erase.ts';
import type { ExportedRecord } from '../../retention/export.ts';
import type { Health, MeView } from '../endpoints/account.ts';
import type { AuditVerificationView } from '../endpoints/audit.ts';
import type {
  CallbackAddressView,
  NewCallbackBody,
  NewClaimCallbackBody,
} from '../endpoints/callbacks.ts';
import type { CommentBody, CommentList } from '../endpoints/comments.ts';
import type { MessageBody } from '../endpoints/conversations.ts';
import type { DeadLetterName, DeadLetterView } from '../endpoints/dead-letters.ts';
import type { DecisionBody } from '../endpoints/decide-hold.ts';
import type { BulkDecision, BulkDecisionResults } from '../endpoints/decide-holds.ts';
import type {
  DeviceCodeView,
  DeviceSignInBody,
  DeviceSignInView,
} from '../endpoints/device-sign-in.ts';
import type { DelegateBody, DelegationListQuery } from '../endpoints/delegations.ts';
import type { ErasePersonBody, EraseConversationBody } from '../endpoints/erasure.ts';
import type { HoldListQuery } from '../endpoints/holds.ts';
import type { CheckBody, EditPreviewView } from '../endpoints/preview-edit.ts';
import type { StartBody } from '../endpoints/runs.ts';
import type {
  ClaimBody,
  HeartbeatBody,
  LeaseView,
  ReleaseBody,
  SettleBody,
} from '../endpoints/request-claims.ts';
import type {
  CreatedKeyView,
  CreateKeyBody,
  KeyList,
  KeyView,
  RotateKeyBody,
} from '../endpoints/keys.ts';
import type { RequestBody, RequestWait } from '../endpoints/requests.ts';
import type { RequestedChangesList } from '../endpoints/requested-changes.ts';
import type { RequestClaimView, RequestView } from '../views/request-view.ts';
import type { HoldDetailView } from '../views/decision-view.ts';
import type { AuditView } from '../views/audit-view.ts';
import type { CommentView } from '../views/comment-view.ts';
import type { DelegationView } from '../views/delegation-view.ts';
import type { EventView } from '../views/event-view.ts';
import type { GrantView } from '../views/grant-view.ts';
import type { MessagePage } from '../views/history-view.ts';
import type { HoldView } from '../views/hold-view.ts';
import type { RunStreamView } from '../views/run-stream-view.ts';
import type { RunSummary, RunView } from '../views/run-view.ts';
import { DeskClientError } from './desk-client-error.ts';
import { readJsonLines } from './json-lines.ts';
import { type ClientStreamOptions, readEvents, readRunStream } from './read-events.ts';

/** The address of a desk, and the credentials of the caller. */
export interface DeskClientOptions {
  /** The address of the desk, such as `https://example.com/desk`. */
  readonly url: string;
  /** Headers of every request, such as `{ authorization: 'Bearer …' }`. A function is called for each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** Sends requests; the global `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** All messages of a conversation, as a document that `messageCodec.fromJSON` reads. */
export interface HistoryView {
  readonly holdpoint: 'messages';
  readonly version: number;
  readonly messages: readonly JsonObject[];
}

/** A typed client of a desk. A rejected request throws a {@link DeskClientError}. */
export interface DeskClient {
  /** Starts a run. */
  start(body: StartBody): Promise<RunSummary>;
  /** Sends a message to a conversation. Returns the run whose model receives it. */
  message(conversationId: string, body: MessageBody): Promise<RunSummary>;
  /** Lists runs, the latest first. */
  runs(query?: RunQuery): Promise<Page<RunSummary>>;
  /** Returns a run with its output or error. */
  run(runId: string): Promise<RunView>;
  /**
   * Yields the events of a run: its stored messages and its state, and then everything from now on, each once. It ends
   * when the run parks, is stuck or ends. A connection that ends before is opened again; a rejected request throws.
   */
  stream(runId: string, options?: ClientStreamOptions): AsyncGenerator<RunStreamView, void>;
  /** Cancels a run. */
  cancel(runId: string): Promise<RunSummary>;
  /** Retries a stuck run. */
  retry(runId: string): Promise<RunSummary>;
  /** Lists the audit entries of a run, the oldest first. */
  audit(runId: string, query?: PageQuery): Promise<Page<AuditView>>;
  /** Verifies the audit of a run. */
  verifyAudit(runId: string): Promise<AuditVerificationView>;
  /** Lists the messages of a conversation, the oldest first. */
  messages(conversationId: string, query?: PageQuery): Promise<MessagePage>;
  /** Returns all messages of a conversation. */
  history(conversationId: string): Promise<HistoryView>;
  /** Lists holds, the oldest first; open holds by default. */
  holds(query?: HoldListQuery): Promise<Page<HoldView>>;
  /** Returns a hold with the decisions on it. */
  hold(holdId: string): Promise<HoldDetailView>;
  /**
   * Returns the requested changes for a hold and for earlier calls of the same tool in its run,
   * with the responses of the model.
   */
  requestedChanges(holdId: string): Promise<RequestedChangesList>;
  /** Returns the comments on a hold, the oldest first. */
  comments(holdId: string): Promise<CommentList>;
  /** Comments on a hold. It decides nothing, and the model does not see it. */
  comment(holdId: string, body: CommentBody): Promise<CommentView>;
  /** Decides a hold. It stays open until its requirements are met. */
  decide(holdId: string, body: DecisionBody): Promise<HoldView>;
  /** Decides several holds. Each result is the hold or the problem of this decision. */
  decideMany(decisions: readonly BulkDecision[]): Promise<BulkDecisionResults>;
  /** Validates edited arguments and returns their preview. It writes nothing. */
  previewEdit(holdId: string, body: CheckBody): Promise<EditPreviewView>;
  /** Creates a secret address at which a program supplies the result of an external call, once. */
  holdCallback(holdId: string, body?: NewCallbackBody): Promise<CallbackAddressView>;
  /** Requests a decision about a call that this program executes. */
  request(body: RequestBody): Promise<RequestView>;
  /** Returns a request of the caller, or waits up to `wait` seconds for its decision. */
  getRequest(requestId: string, query?: RequestWait): Promise<RequestView>;
  /** Lists the requests of the caller, the latest first. */
  requests(query?: PageQuery): Promise<Page<RequestView>>;
  /** Cancels a request whose call was not claimed. */
  cancelRequest(requestId: string): Promise<RequestView>;
  /** Claims the call of an approved request, once. The same token returns the same claim. */
  claimRequest(requestId: string, body?: ClaimBody): Promise<RequestClaimView>;
  /** Extends the lease of a claim. */
  extendRequestClaim(requestId: string, body: HeartbeatBody): Promise<LeaseView>;
  /** Releases a claim whose call has not started. */
  releaseRequestClaim(requestId: string, body: ReleaseBody): Promise<RequestView>;
  /** Records how the claimed call ended. */
  settleRequest(requestId: string, body: SettleBody): Promise<RequestView>;
  /** Creates a secret address at which another program settles the claimed call, once. */
  requestCallback(requestId: string, body: NewClaimCallbackBody): Promise<CallbackAddressView>;
  /** Lists the keys of service accounts, the oldest first. Only administrators may. */
  keys(): Promise<KeyList>;
  /** Creates a key of a service account. Only administrators may. */
  createKey(body: CreateKeyBody): Promise<CreatedKeyView>;
  /** Replaces a key, and revokes it. Only administrators may. */
  rotateKey(keyId: string, body?: RotateKeyBody): Promise<CreatedKeyView>;
  /** Revokes a key. Only administrators may. */
  revokeKey(keyId: string): Promise<KeyView>;
  /** Lists the delegations from and to the caller, the latest first. */
  delegations(query?: DelegationListQuery): Promise<Page<DelegationView>>;
  /** Lets another person decide on behalf of the caller until a time. */
  delegate(body: DelegateBody): Promise<DelegationView>;
  /** Revokes a delegation. */
  revokeDelegation(delegationId: string): Promise<DelegationView>;
  /** Lists grants, the latest first. */
  grants(query?: GrantQuery): Promise<Page<GrantView>>;
  /** Returns a grant. */
  grant(grantId: string): Promise<GrantView>;
  /** Revokes a grant. */
  revokeGrant(grantId: string): Promise<GrantView>;
  /**
   * Yields each event once, from the moment at which the first one is requested. A connection that ends is
   * opened again; a rejected request throws.
   */
  events(options?: { readonly signal?: AbortSignal | undefined }): AsyncGenerator<EventView, void>;
  /** Deletes everything of a conversation but its audit. Only administrators may. */
  eraseConversation(conversationId: string, body: EraseConversationBody): Promise<ErasureReport>;
  /** Erases the data of a person. Only administrators may. */
  erasePerson(body: ErasePersonBody): Promise<PersonErasureReport>;
  /** Yields everything that is stored about a conversation. Only administrators may. */
  exportConversation(conversationId: string): AsyncGenerator<ExportedRecord>;
  /** Yields everything that is stored about a person. Only administrators may. */
  exportPerson(personId: string): AsyncGenerator<ExportedRecord>;
  /** Lists the dead letters, the oldest first. Only for administrators. */
  deadLetters(query?: PageQuery): Promise<Page<DeadLetterView>>;
  /** Makes a dead letter due again. Only administrators may. */
  replayDeadLetter(name: DeadLetterName): Promise<void>;
  /** Deletes the dead letter of a notification or a webhook. Only for administrators. */
  discardDeadLetter(name: DeadLetterName): Promise<void>;
  /** Requests a code with which a person signs this program in. */
  beginDeviceSignIn(): Promise<DeviceCodeView>;
  /** Returns the state of a sign-in, and the token of the session once. */
  finishDeviceSignIn(deviceCode: string): Promise<DeviceSignInView>;
  /** Ends the session of the caller. */
  endSession(): Promise<void>;
  /** Returns the caller, their tenant and the agents of the desk. */
  me(): Promise<MeView>;
  /** Returns if the desk and its store respond. */
  health(): Promise<Health>;
}

/** Creates a client of a desk that is served over HTTP, for servers and browsers. */
export function deskClient(options: DeskClientOptions): DeskClient {
  checkClientOptions(options);
  const sender = new Sender(options);
  const path = (...parts: readonly string[]) => `/v1/${parts.map(encodeURIComponent).join('/')}`;
  const messages = (id: string, query?: PageQuery): Promise<MessagePage> =>
    sender.get(path('conversations', id, 'messages'), query);
  return Object.freeze<DeskClient>({
    start: (body) => sender.post(path('runs'), body),
    message: (id, body) => sender.post(path('conversations', id, 'messages'), body),
    runs: (query) => sender.get(path('runs'), query),
    run: (id) => sender.get(path('runs', id)),
    stream: (id, wanted = {}) => {
      const query = wanted.continueWhenParked === true ? '?continueWhenParked=true' : '';
      return readRunStream((init) => sender.send(path('runs', id, 'stream') + query, init), wanted);
    },
    cancel: (id) => sender.post(path('runs', id, 'cancel')),
    retry: (id) => sender.post(path('runs', id, 'retry')),
    audit: (id, query) => sender.get(path('runs', id, 'audit'), query),
    verifyAudit: (id) => sender.get(path('runs', id, 'audit', 'verification')),
    messages,
    history: (id) => allMessages((query) => messages(id, query)),
    holds: (query) => sender.get(path('holds'), query),
    hold: (id) => sender.get(path('holds', id)),
    requestedChanges: (id) => sender.get(path('holds', id, 'requested-changes')),
    comments: (id) => sender.get(path('holds', id, 'comments')),
    comment: (id, body) => sender.post(path('holds', id, 'comments'), body),
    decide: (id, body) => sender.post(path('holds', id, 'decision'), body),
    decideMany: (decisions) => sender.post(path('holds', 'decisions'), decisions),
    previewEdit: (id, body) => sender.post(path('holds', id, 'edit-preview'), body),
    holdCallback: (id, body) => sender.post(path('holds', id, 'callback'), body),
    request: (body) => sender.post(path('requests'), body),
    getRequest: (id, query) => sender.get(path('requests', id), query),
    requests: (query) => sender.get(path('requests'), query),
    cancelRequest: (id) => sender.post(path('requests', id, 'cancel')),
    claimRequest: (id, body) => sender.post(path('requests', id, 'claim'), body),
    extendRequestClaim: (id, body) => sender.post(path('requests', id, 'heartbeat'), body),
    releaseRequestClaim: (id, body) => sender.post(path('requests', id, 'release'), body),
    settleRequest: (id, body) => sender.post(path('requests', id, 'settle'), body),
    requestCallback: (id, body) => sender.post(path('requests', id, 'callback'), body),
    keys: () => sender.get(path('keys')),
    createKey: (body) => sender.post(path('keys'), body),
    rotateKey: (id, body) => sender.post(path('keys', id, 'rotate'), body),
    revokeKey: (id) => sender.post(path('keys', id, 'revoke')),
    delegations: (query) => sender.get(path('delegations'), query),
    delegate: (body) => sender.post(path('delegations'), body),
    revokeDelegation: (id) => sender.post(path('delegations', id, 'revoke')),
    grants: (query) => sender.get(path('grants'), query),
    grant: (id) => sender.get(path('grants', id)),
    revokeGrant: (id) => sender.post(path('grants', id, 'revoke')),
    events: ({ signal } = {}) => readEvents((init) => sender.send(path('events'), init), signal),
    eraseConversation: (id, body) => sender.post(path('conversations', id, 'erase'), body),
    erasePerson: (body) => sender.post(path('people', 'erase'), body),
    exportConversation: (id) => sender.lines(path('conversations', id, 'export')),
    exportPerson: (person) =>
      sender.lines(`${path('people', 'export')}?${new URLSearchParams({ person })}`),
    deadLetters: (query) => sender.get(path('dead-letters'), query),
    replayDeadLetter: async (name) =>
      void (await sender.post(path('dead-letters', 'replay'), name)),
    discardDeadLetter: async (name) =>
      void (await sender.post(path('dead-letters', 'discard'), name)),
    beginDeviceSignIn: () => sender.post(path('sign-in', 'device')),
    finishDeviceSignIn: (deviceCode) =>
      sender.post(path('sign-in', 'device', 'token'), { deviceCode } satisfies DeviceSignInBody),
    endSession: async () => void (await sender.post('/sign-out')),
    me: () => sender.get(path('me')),
    health: () => sender.get(path('health')),
  });
}

const OPTION_NAMES: readonly string[] = ['url', 'headers', 'fetch'];

/** Throws a `TypeError`, because the client imports nothing: a page should not load the core for it. */
function checkClientOptions(options: DeskClientOptions): void {
  // Programs without types pass anything.
  const given: unknown = options;
  if (typeof given === 'string') {
    throw new TypeError(
      'The options of `deskClient` are a text. Pass an object such as `{ url }`.',
    );
  }
  const unknown = Object.keys(Object(given)).find((name) => !OPTION_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `Unknown option \`${unknown}\` of \`deskClient\`. Use one of: ${OPTION_NAMES.join(', ')}.`,
    );
  }
  const { url, fetch: send }: Partial<Record<keyof DeskClientOptions, unknown>> = Object(given);
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw new TypeError(
      `\`url\` of \`deskClient\` is \`${String(url)}\`. Pass the complete address of the desk.`,
    );
  }
  if (send !== undefined && typeof send !== 'function') {
    throw new TypeError(
      '`fetch` of `deskClient` is not a function. Pass a function, or leave it out.',
    );
  }
}

async function allMessages(read: (query: PageQuery) => Promise<MessagePage>): Promise<HistoryView> {
  const messages: JsonObject[] = [];
  let after: string | undefined;
  for (;;) {
    const { items, next, version } = await read({ after, limit: 500 });
    messages.push(...items);
    if (next === undefined) return { holdpoint: 'messages', version, messages };
    after = next;
  }
}

class Sender {
  readonly #options: DeskClientOptions;

  constructor(options: DeskClientOptions) {
    this.#options = options;
  }

  async get<Result>(path: string, query: object = {}): Promise<Result> {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]: [string, unknown]) => {
        const values = Array.isArray(value) ? value : [value];
        return values.filter((item) => item !== undefined).map((item) => [name, String(item)]);
      }),
    );
    return this.#read<Result>(await this.send(`${path}?${search}`));
  }

  async *lines<Value>(path: string): AsyncGenerator<Value> {
    yield* readJsonLines<Value>(await this.send(path));
  }

  async post<Result>(path: string, body?: object): Promise<Result> {
    // A browser does not send this header for another site.
    const headers = { 'x-holdpoint-csrf': '1', 'content-type': 'application/json' };
    const response = await this.send(path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body ?? {}),
    });
    return this.#read<Result>(response);
  }

  /** Reads the body of a response. A page of another program is not JSON. */
  async #read<Result>(response: Response): Promise<Result> {
    const body = await response.text();
    try {
      // The OpenAPI document of the desk promises this type.
      return JSON.parse(body) as Result;
    } catch {
      const detail = `The response of ${this.#options.url} is not JSON, so this may not be the address of a desk. Check \`url\`, with the path of the desk.`;
      throw new DeskClientError(response.status, { detail });
    }
  }

  /** Sends a request. Throws if the desk rejects it. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const { url, headers, fetch: send = fetch } = this.#options;
    const all = new Headers(typeof headers === 'function' ? await headers() : headers);
    new Headers(init.headers).forEach((value, name) => all.set(name, value));
    const address = `${url.replace(/\/$/, '')}${path}`;
    const response = await send(new Request(address, { ...init, headers: all }));
    if (!response.ok) throw await DeskClientError.of(response);
    return response;
  }
}
