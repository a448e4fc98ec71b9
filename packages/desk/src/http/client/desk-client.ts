import type { GrantQuery, Page, RunQuery } from '../../model/page.ts';
import type { AuditQuery } from '../endpoints/get-audit.ts';
import type { CheckBody, CheckedEditView } from '../endpoints/check-edit.ts';
import type { HoldListQuery } from '../endpoints/list-holds.ts';
import type { AuditVerificationView } from '../endpoints/verify-audit.ts';
import type { GrantView } from '../views/grant-view.ts';
import type { AnswerBody } from '../endpoints/answer-hold.ts';
import type { Health } from '../endpoints/get-health.ts';
import type { MeView } from '../endpoints/get-me.ts';
import type { MessageBody } from '../endpoints/send-message.ts';
import type { StartBody } from '../endpoints/start-run.ts';
import type { AnsweredHoldView } from '../views/answer-view.ts';
import type { AuditView } from '../views/audit-view.ts';
import type { EventView } from '../views/event-view.ts';
import type { HistoryView } from '../views/history-view.ts';
import type { HoldView } from '../views/hold-view.ts';
import type { RunSummary, RunView } from '../views/run-view.ts';
import { DeskClientError } from './desk-client-error.ts';
import { readEvents } from './read-events.ts';

/** Where a desk is, and who asks. */
export interface DeskClientOptions {
  /** The address at which the desk begins, such as `https://example.com/desk`. */
  readonly url: string;
  /** Sent with every request, such as `{ authorization: 'Bearer …' }`; a function is asked each time. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** What sends requests; the global `fetch` unless given. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** A desk over HTTP, with types. What is refused is thrown as a {@link DeskClientError}. */
export interface DeskClient {
  /** Starts a run. */
  start(body: StartBody): Promise<RunSummary>;
  /** Says something in a conversation; gives the run that will hear it. */
  message(conversationId: string, body: MessageBody): Promise<RunSummary>;
  /** Runs, the latest first. */
  runs(query?: RunQuery): Promise<Page<RunSummary>>;
  /** A run as it is now. */
  run(runId: string): Promise<RunView>;
  /** Cancels a run. */
  cancel(runId: string): Promise<RunSummary>;
  /** Has a stuck run be tried again. */
  retry(runId: string): Promise<RunSummary>;
  /** Some entries of the audit of a run, in order; give the number of the last one as `after` for the next. */
  audit(runId: string, query?: AuditQuery): Promise<readonly AuditView[]>;
  /** The messages of a conversation, as a document. */
  history(conversationId: string): Promise<HistoryView>;
  /** Holds, those that have waited longest first; those that are open unless said otherwise. */
  holds(query?: HoldListQuery): Promise<Page<HoldView>>;
  /** A hold as it is now, with the answers to it. */
  hold(holdId: string): Promise<AnsweredHoldView>;
  /** Answers a hold, for what was shown. It stays open until as many agree as its rule asks for. */
  answer(holdId: string, body: AnswerBody): Promise<HoldView>;
  /** What the schema of a call says against other arguments. Nothing is written. */
  check(holdId: string, body: CheckBody): Promise<CheckedEditView>;
  /** Whether the entries of the audit of a run fit each other, and all are there. */
  verifyAudit(runId: string): Promise<AuditVerificationView>;
  /** Approvals that were given in advance, the latest first. */
  grants(query?: GrantQuery): Promise<Page<GrantView>>;
  /** A grant as it is now. */
  grant(grantId: string): Promise<GrantView>;
  /** Revokes a grant: from now on it decides nothing. */
  revokeGrant(grantId: string): Promise<GrantView>;
  /**
   * What happens, each event once, from the moment on at which the first is asked for. A connection that
   * ends is opened again; a refusal is thrown.
   */
  events(options?: { readonly signal?: AbortSignal | undefined }): AsyncGenerator<EventView, void>;
  /** Who you are to the desk, whose runs you see, and which agents there are. */
  me(): Promise<MeView>;
  /** Says whether the desk and its store answer. */
  health(): Promise<Health>;
}

/** A client for a desk that is served over HTTP, in servers and in browsers. */
export function deskClient(options: DeskClientOptions): DeskClient {
  const sender = new Sender(options);
  const at = (...parts: readonly string[]) => `/${parts.map(encodeURIComponent).join('/')}`;
  return Object.freeze<DeskClient>({
    start: (body) => sender.post('/runs', body),
    message: (id, body) => sender.post(at('conversations', id, 'messages'), body),
    runs: (query) => sender.get('/runs', query),
    run: (id) => sender.get(at('runs', id)),
    cancel: (id) => sender.post(at('runs', id, 'cancel'), {}),
    retry: (id) => sender.post(at('runs', id, 'retry'), {}),
    async audit(id, query) {
      const { items } = await sender.get<Page<AuditView>>(at('runs', id, 'audit'), query);
      return items;
    },
    history: (id) => sender.get(at('conversations', id, 'messages')),
    holds: (query) => sender.get('/holds', query),
    hold: (id) => sender.get(at('holds', id)),
    answer: (id, body) => sender.post(at('holds', id, 'answer'), body),
    check: (id, body) => sender.post(at('holds', id, 'check'), body),
    verifyAudit: (id) => sender.get(at('runs', id, 'audit', 'verification')),
    grants: (query) => sender.get('/grants', query),
    grant: (id) => sender.get(at('grants', id)),
    revokeGrant: (id) => sender.post(at('grants', id, 'revoke'), {}),
    events: ({ signal } = {}) => readEvents((init) => sender.send('/events', init), signal),
    me: () => sender.get('/me'),
    health: () => sender.get('/health'),
  });
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
        return values.filter((one) => one !== undefined).map((one) => [name, String(one)]);
      }),
    );
    // The desk says in its OpenAPI document that it is this.
    return (await this.send(`${path}?${search}`)).json() as Promise<Result>;
  }

  async post<Result>(path: string, body: object): Promise<Result> {
    // In a browser that has a cookie of the desk: no other site can send it.
    const headers = { 'content-type': 'application/json', 'x-holdpoint-csrf': '1' };
    const response = await this.send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
    });
    // As above.
    return response.json() as Promise<Result>;
  }

  /** Sends a request; a refusal is thrown. */
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
