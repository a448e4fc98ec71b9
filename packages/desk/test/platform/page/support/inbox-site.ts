import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { type Desk, type DeskOptions, sqliteStore, openDesk, type Store } from '@holdpoint/desk';
import { type Authorize, type DeskAppOptions, deskApp } from '@holdpoint/desk/http';
import type { Decision, GrantRequest, HoldRow } from '@holdpoint/desk';
import type { JsonObject } from 'holdpoint';
import { type ExecutedCall, type ScriptedResponse, supportAgent } from './support-agent.ts';

/** A person who is signed in at the desk. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
}

export const ADA: Account = { id: 'ada', name: 'Ada', roles: ['agent'] };
export const GRACE: Account = {
  id: 'grace',
  name: 'Grace Hopper',
  roles: ['refunds', 'treasury'],
};
export const EDSGER: Account = { id: 'edsger', name: 'Edsger', roles: ['treasury'] };

/** A desk with its page, on a local port. */
export interface InboxSite extends AsyncDisposable {
  readonly desk: Desk;
  readonly store: Store;
  readonly url: string;
  /** The executed calls. */
  readonly executed: readonly ExecutedCall[];
  /** Starts a run in which the model makes these calls, and works until it parks. Returns its id. */
  startRun(prompt: string, ...calls: readonly RequestedCall[]): Promise<string>;
  /** Sets the response of the model to a request for changes. */
  respondTo(message: string, response: ScriptedResponse): void;
  /** Returns the open hold of a run, or the first open hold. */
  openHold(runId?: string): Promise<HoldRow>;
  /** Records a decision on a hold. An edit is validated first, as the page does it. */
  decide(hold: HoldRow, by: Account, decision: TestDecision): Promise<void>;
  /** Returns the recorded decisions on a hold. */
  decisionsOn(holdId: string): Promise<readonly unknown[]>;
  /** The idempotency keys of the attempts of `deposit`. */
  readonly keys: readonly unknown[];
  /** Parks a call of `deposit`, executes it, and parks again with the call in doubt. Returns the id of its hold. */
  parkInDoubt(): Promise<string>;
  /** Resumes runs until nothing is left to do. */
  work(): Promise<void>;
  /** Closes all connections, and rejects new ones until it is called with `false`. */
  cut(isCut: boolean): void;
}

/** A call that the model makes. */
export interface RequestedCall {
  readonly toolName: string;
  readonly args: JsonObject;
  /** The text of the response that contains the call. */
  readonly text?: string | undefined;
}

export interface SiteOptions {
  readonly store?: Store | undefined;
  readonly desk?:
    | Partial<
        Pick<
          DeskOptions<never>,
          'expiresAfter' | 'approvers' | 'denyReasons' | 'dynamicTools' | 'requests'
        >
      >
    | undefined;
  readonly app?: ((store: Store, url: string) => DeskAppOptions) | undefined;
  readonly people?: readonly Account[] | undefined;
  readonly requester?: Account | undefined;
  /** The name, the schema and the metadata of the tool `odd`. */
  readonly odd?: string | undefined;
  /** Set if the model streams a text, and pauses in the middle of it. */
  readonly pause?: Promise<void> | undefined;
}

/** A decision, with the grant that an approval creates. */
export type TestDecision = Decision & { readonly grant?: GrantRequest | undefined };

/** The route that records a decision. */
export const DECISION_ROUTE = '**/v1/holds/*/decision';
/** The route that previews an edit. */
export const PREVIEW_ROUTE = '**/v1/holds/*/edit-preview';

/** The cookie with the id of the signed-in person. It stands for the session of an application. */
export const COOKIE = 'who';

/** Serves a desk with the page. */
export async function inboxSite(options: SiteOptions = {}): Promise<InboxSite> {
  const { store = await sqliteStore(), people = [ADA, GRACE, EDSGER], requester = ADA } = options;
  const { odd, pause } = options;
  const responses = new Map<string, ScriptedResponse>();
  const executed: ExecutedCall[] = [];
  const keys: unknown[] = [];
  let isCut = false;
  const server = createServer((request, response) => void listener(request, response));
  server.on('connection', (socket) => isCut && socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on a port has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const desk = openDesk({
    store,
    url,
    agents: { support: { agent: supportAgent({ responses, executed, keys, odd, pause }) } },
    ...options.desk,
  });
  const app = deskApp(desk, {
    authorize: byCookie(people),
    onError: (error) => console.error(error),
    ...options.app?.(store, url),
  });
  const listener = getRequestListener(app.fetch);
  const startRun: InboxSite['startRun'] = async (prompt, ...calls) => {
    responses.set(prompt, { text: calls[0]?.text, calls });
    const { id, name } = requester;
    const runId = await desk.start('support', prompt, { requester: { id, name } });
    await desk.work({ runId });
    return runId;
  };
  const openHold: InboxSite['openHold'] = async (runId) => {
    const [hold] = (await desk.holds(runId === undefined ? {} : { runId })).items;
    if (hold === undefined) throw new Error('There is no open hold.');
    return hold;
  };
  const decide: InboxSite['decide'] = async ({ id, digest }, { roles, ...by }, decision) => {
    const { grant, ...rest } = decision;
    const shown =
      rest.kind === 'approve' && rest.args !== undefined
        ? (await desk.previewEdit(id, rest.args)).shown
        : undefined;
    await desk.decide(id, rest, { by, roles, digest, shown, grant });
  };
  return {
    desk,
    store,
    executed,
    keys,
    url,
    startRun,
    respondTo: (message, response) => void responses.set(message, response),
    openHold,
    decide,
    decisionsOn: async (holdId) =>
      (await desk.hold(holdId)).decisions.map(({ decision }) => decision),
    async parkInDoubt() {
      const args = { account: 'NL91 ABNA 0417 1643 00', euros: 45 };
      const runId = await startRun('Pay the deposit.', { toolName: 'deposit', args });
      await decide(await openHold(runId), GRACE, { kind: 'approve' });
      return pollFor(async () => {
        await desk.work({ runId });
        return (await desk.holds({ runId })).items[0]?.id;
      });
    },
    async work() {
      await desk.drain();
    },
    cut(wanted) {
      isCut = wanted;
      if (isCut) server.closeAllConnections();
    },
    async [Symbol.asyncDispose]() {
      app.closeStreams();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads until there is a value: a failed attempt is repeated after a delay. */
async function pollFor<Value>(read: () => Promise<Value | undefined>): Promise<Value> {
  for (let attempts = 0; attempts < 100; attempts++) {
    const found = await read();
    if (found !== undefined) return found;
    await setTimeout(100);
  }
  throw new Error('The call was not in doubt in time.');
}

function byCookie(people: readonly Account[]): Authorize {
  return ({ headers }) => {
    const id = new RegExp(`\\b${COOKIE}=(\\w+)`).exec(headers.get('cookie') ?? '')?.[1];
    const known = people.find((account) => account.id === id);
    if (known === undefined) return undefined;
    const { roles, ...person } = known;
    return { tenant: 'default', person, roles, signOut: '/sign-out' };
  };
}
