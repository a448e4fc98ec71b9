import { UserError } from 'holdpoint';
import type { AnyDeskAgent } from '../desk/desk-agent.ts';
import { deskInsides } from '../desk/desk-insides.ts';
import type { DeskOptions } from '../desk/desk-options.ts';
import { checkFunction, checkOptions, type KeysOf } from '../model/check-keys.ts';
import type { Authorize } from './caller.ts';
import { checkEntrance, checkHttpOptions, HTTP_OPTIONS } from './check-http-options.ts';
import type { HttpOptions } from './desk-app-options.ts';
import type { Entrance } from './entrance.ts';
import type { Redact } from '../redaction/redact.ts';
import { ServedDesk } from './served-desk.ts';

/** What a desk is opened with, and how it is served. */
export interface ServedDeskOptions<Agents extends Readonly<Record<string, AnyDeskAgent>>>
  extends DeskOptions<Agents> {
  /** Says who a request is from. Without it `fetch` refuses everything. */
  readonly authorize?: Authorize | undefined;
  /**
   * How people come in with a browser: whoever `authorize` does not know may have a session. `signIn` of
   * `@holdpoint/desk/sign-in` makes one.
   */
  readonly entrance?: Entrance | undefined;
  /** How `fetch` answers. */
  readonly http?: HttpOptions | undefined;
}

/**
 * Opens a desk: where runs are started, wait for people, and go on, in this process or another.
 *
 * Nothing works by itself: call `keepWorking` in processes that are to do the work, or `work` for one run.
 * Nobody is let in by itself, either: give `authorize`, and serve `desk.fetch`.
 *
 * @example
 * const store = await sqliteStore({ path: 'desk.sqlite' })
 * const desk = openDesk({ store, agents: { support: { agent, deps: () => ({ database }) } } })
 * const runId = await desk.start('support', 'Refund order 17.', { requester: { id: 'ada' } })
 */
export function openDesk<const Agents extends Readonly<Record<string, AnyDeskAgent>>>(
  options: ServedDeskOptions<Agents>,
): ServedDesk<keyof Agents & string> {
  checkOptions<ServedDeskOptions<Agents>>('`openDesk`', options, OPTIONS);
  const { authorize, entrance, http = {}, onError } = options;
  checkFunction('authorize', authorize);
  checkEntrance(entrance);
  checkOptions<HttpOptions>('`http`', http, HTTP_OPTIONS);
  checkHttpOptions(http);
  const redact = redactOf(options);
  // The rules of the desk hold for every way to decide, so the part that serves HTTP needs none.
  const { redact: _redact, mayAnswer, notRequester, ...serving } = http;
  const insides = deskInsides({ ...options, redact }, { mayAnswer, notRequester });
  return new ServedDesk(insides, { ...serving, authorize, entrance, onError });
}

function redactOf({
  redact,
  http,
}: {
  readonly redact?: Redact | undefined;
  readonly http?: HttpOptions | undefined;
}): Redact | undefined {
  if (redact === undefined || http?.redact === undefined) return redact ?? http?.redact;
  throw new UserError(
    '`redact` and `http.redact` are both set, so it is unclear which rules hold. Pass `redact` to `openDesk` only.',
  );
}

const OPTIONS: KeysOf<ServedDeskOptions<never>> = {
  store: true,
  agents: true,
  expiresAfter: true,
  approvers: true,
  dynamicTools: true,
  mayAnswer: true,
  notRequester: true,
  shadow: true,
  redact: true,
  notify: true,
  webhooks: true,
  url: true,
  lease: true,
  toolTimeout: true,
  mostTries: true,
  onError: true,
  authorize: true,
  entrance: true,
  http: true,
};
