import { UserError } from 'holdpoint';
import type { AnyDeskAgent } from '../desk/desk-agent.ts';
import { deskInsides } from '../desk/desk-insides.ts';
import type { DeskOptions } from '../desk/desk-options.ts';
import type { Authorize } from './caller.ts';
import { checkHttpOptions } from './check-http-options.ts';
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
  const { authorize, entrance, http = {}, onError } = options;
  if (authorize !== undefined && typeof authorize !== 'function') {
    throw new UserError('authorize is no function. Give one that says who a request is from.');
  }
  checkHttpOptions(http);
  const redact = redactOf(options);
  const { redact: _, ...served } = http;
  const insides = deskInsides({ ...options, redact });
  return new ServedDesk(insides, { ...served, authorize, entrance, onError });
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
