import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { type Desk, type DeskOptions, memoryStore, openDesk, type Store } from '@holdpoint/desk';
import { type Authorize, type DeskAppOptions, deskApp } from '@holdpoint/desk/http';
import type { JsonObject } from 'holdpoint';
import { type Done, supportAgent, type Wish } from './requests.ts';

/** Somebody at the desk. */
export interface Somebody {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
}

export const ADA: Somebody = { id: 'ada', name: 'Ada', roles: ['agent'] };
export const GRACE: Somebody = {
  id: 'grace',
  name: 'Grace Hopper',
  roles: ['refunds', 'treasury'],
};
export const EDSGER: Somebody = { id: 'edsger', name: 'Edsger', roles: ['treasury'] };

/** A desk with its page, on a port of this machine. */
export interface InboxSite extends AsyncDisposable {
  readonly desk: Desk;
  readonly store: Store;
  readonly url: string;
  /** What the tools have done. */
  readonly done: readonly Done[];
  /** Has somebody say something, to which the agent calls these tools; gives the id of the run. */
  ask(prompt: string, ...calls: readonly AskedCall[]): Promise<string>;
  /** The idempotency keys of the attempts of `wire`. */
  readonly keys: readonly unknown[];
  /** Parks a call of `wire`, executes it, and parks again with the call in doubt; gives the id of its hold. */
  doubt(): Promise<string>;
  /** Goes on with what was answered. */
  work(): Promise<void>;
  /** Ends all connections, and takes none until it is called again. */
  cut(isCut: boolean): void;
}

export interface AskedCall {
  readonly toolName: string;
  readonly args: JsonObject;
  readonly says?: string | undefined;
}

export interface SiteOptions {
  readonly store?: Store | undefined;
  readonly desk?:
    | Partial<Pick<DeskOptions<never>, 'expiresAfter' | 'approvers' | 'dynamicTools'>>
    | undefined;
  readonly app?: ((store: Store, url: string) => DeskAppOptions) | undefined;
  readonly people?: readonly Somebody[] | undefined;
  readonly requester?: Somebody | undefined;
  /** What the name, the schema and the metadata of one of the tools say. */
  readonly odd?: string | undefined;
}

/** The cookie by which the tests say who they are; it stands for the session of an application. */
export const COOKIE = 'who';

/** Serves a desk with the page; whoever asks says who they are with a cookie. */
export async function inboxSite(options: SiteOptions = {}): Promise<InboxSite> {
  const { store = memoryStore(), people = [ADA, GRACE, EDSGER], requester = ADA } = options;
  const wishes = new Map<string, Wish>();
  const done: Done[] = [];
  const keys: unknown[] = [];
  let isCut = false;
  const server = createServer((request, response) => void listener(request, response));
  server.on('connection', (socket) => isCut && socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on a port has an address with one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const desk = openDesk({
    store,
    url,
    agents: { support: { agent: supportAgent({ wishes, done, keys, odd: options.odd }) } },
    ...options.desk,
  });
  const app = deskApp(desk, {
    authorize: byCookie(people),
    onError: (error) => console.error(error),
    ...options.app?.(store, url),
  });
  const listener = getRequestListener(app.fetch);
  const ask: InboxSite['ask'] = async (prompt, ...asked) => {
    wishes.set(prompt, { says: asked[0]?.says, calls: asked });
    const { id, name } = requester;
    const runId = await desk.start('support', prompt, { requester: { id, name } });
    await desk.work({ runId });
    return runId;
  };
  return {
    desk,
    store,
    done,
    keys,
    url,
    ask,
    async doubt() {
      const args = { account: 'NL91 ABNA 0417 1643 00', euros: 45 };
      const runId = await ask('Wire the deposit.', { toolName: 'wire', args });
      const [hold] = (await desk.holds({ runId })).items;
      await desk.answer(
        hold?.id ?? '',
        { kind: 'approve' },
        { by: { id: GRACE.id, name: GRACE.name }, roles: GRACE.roles, digest: hold?.digest ?? '' },
      );
      return pollFor(async () => {
        await desk.work({ runId });
        return (await desk.holds({ runId })).items[0]?.id;
      });
    },
    async work() {
      await desk.workOff();
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

/** Asks again until there is a value: a failed attempt is repeated after a pause. */
async function pollFor<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < 100; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await setTimeout(100);
  }
  throw new Error('The call was not in doubt in time.');
}

function byCookie(people: readonly Somebody[]): Authorize {
  return ({ headers }) => {
    const id = new RegExp(`\\b${COOKIE}=(\\w+)`).exec(headers.get('cookie') ?? '')?.[1];
    const known = people.find((one) => one.id === id);
    if (known === undefined) return undefined;
    const { roles, ...person } = known;
    return { tenant: 'default', person, roles, signOut: '/sign-out' };
  };
}
