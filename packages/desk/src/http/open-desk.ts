import { UserError } from 'holdpoint';
import type { AnyDeskAgents, RunOf } from '../desk/desk-agent.ts';
import { createDeskContext } from '../desk/desk-context.ts';
import type { DeskOptions } from '../desk/desk-options.ts';
import { checkFunction, checkOptions, type KeysOf } from '../model/check-keys.ts';
import type { Authorize } from './caller.ts';
import { checkSignIn, checkHttpOptions, HTTP_OPTIONS } from './check-http-options.ts';
import type { HttpOptions } from './desk-app-options.ts';
import type { SignInProvider } from './entrance.ts';
import type { Redact } from '../redaction/redact.ts';
import { ServedDesk } from './served-desk.ts';

/** Options of {@link openDesk}. */
export interface ServedDeskOptions<
  Agents extends AnyDeskAgents,
  DynamicTool extends string = string,
  OutsideTool extends string = string,
> extends DeskOptions<Agents, DynamicTool, OutsideTool> {
  /** Authenticates requests. Without it, `fetch` rejects every request. */
  readonly authorize?: Authorize | undefined;
  /**
   * Signs people in with a browser, for requests that `authorize` does not know. Create it with `signIn` of
   * `@holdpoint/desk/sign-in`.
   */
  readonly signIn?: SignInProvider | undefined;
  /** Options of `fetch`. */
  readonly http?: HttpOptions | undefined;
}

/**
 * Opens a desk, which stores parked runs and resumes them after an approver decides, in any process.
 *
 * Start at least one worker with `startWorker`, or execute single runs with `work`. To serve the API and the inbox,
 * pass `authorize` and mount `desk.fetch`.
 *
 * @example
 * const store = await sqliteStore({ path: 'desk.sqlite' })
 * const desk = openDesk({ store, agents: { support: { agent, deps: () => ({ database }) } } })
 * const runId = await desk.start('support', 'Refund order 17.', { requester: { id: 'ada' } })
 */
export function openDesk<
  const Agents extends AnyDeskAgents,
  const DynamicTool extends string = never,
  const OutsideTool extends string = never,
>(
  options: ServedDeskOptions<Agents, DynamicTool, OutsideTool>,
): ServedDesk<keyof Agents & string, RunOf<Agents>, OutsideTool> {
  checkOptions<ServedDeskOptions<Agents, DynamicTool, OutsideTool>>('`openDesk`', options, OPTIONS);
  const { authorize, signIn: signInProvider, http = {} } = options;
  checkFunction('authorize', authorize);
  checkSignIn(signInProvider);
  checkOptions<HttpOptions>('`http`', http, HTTP_OPTIONS);
  checkHttpOptions(http);
  const redact = redactOf(options);
  // The rules of the desk hold for every way to decide, so the part that serves HTTP needs none.
  const { redact: _redact, mayDecide, notRequester, ...serving } = http;
  // The names of tools were checked by the signature.
  const untyped = { ...options, redact } as unknown as DeskOptions<Agents>;
  const context = createDeskContext(untyped, { mayDecide, notRequester });
  return new ServedDesk(context, { ...serving, authorize, signIn: signInProvider });
}

function redactOf({
  redact,
  http,
}: {
  readonly redact?: Redact | undefined;
  readonly http?: HttpOptions | undefined;
}): Redact | undefined {
  if (redact === undefined) return http?.redact;
  if (http?.redact === undefined) return redact;
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
  requests: true,
  mayDecide: true,
  notRequester: true,
  rolesOf: true,
  denyReasons: true,
  shadow: true,
  redact: true,
  notify: true,
  webhooks: true,
  retention: true,
  url: true,
  lease: true,
  toolTimeout: true,
  maxAttempts: true,
  logger: true,
  telemetry: true,
  onError: true,
  authorize: true,
  signIn: true,
  http: true,
};
