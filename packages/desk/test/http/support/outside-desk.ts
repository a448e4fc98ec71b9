import { type KeyScope, openDesk, type RunRow, type ServedDesk } from '@holdpoint/desk';
import { type DeskClient, deskClient } from '@holdpoint/desk/client';
import { Agent, CallDeferred, DeferredToolRequests, tool } from 'holdpoint';
import { TestModel } from 'holdpoint/testing';
import type { OpenedStore } from '../../support/opened-store.ts';

export const SCHEMA = {
  type: 'object',
  properties: { euros: { type: 'number' } },
  required: ['euros'],
  additionalProperties: false,
};

const URL_OF_DESK = 'https://desk.example';

const print = tool({
  name: 'print',
  execute: () => {
    throw new CallDeferred();
  },
});
/** An agent whose only call is external. */
export const robot: Agent<readonly [], readonly [StringConstructor, typeof DeferredToolRequests]> =
  new Agent({
    model: new TestModel(),
    tools: [print],
    output: [String, DeferredToolRequests],
  });

/** A desk with an outside tool, people whose bearer tokens are their names, and keys. */
export class OutsideDesk {
  readonly desk: ServedDesk<'robot', RunRow, 'refund'>;

  constructor({ store }: OpenedStore) {
    this.desk = openDesk({
      store,
      url: URL_OF_DESK,
      agents: { robot: { agent: robot } },
      requests: {
        tools: {
          refund: {
            approvers: { roles: ['cashier'], people: ['service:auditor'] },
            schema: SCHEMA,
          },
        },
      },
      authorize: ({ headers }) => {
        const [, id] = /^Bearer ([\w:]+)$/.exec(headers.get('authorization') ?? '') ?? [];
        return id === undefined
          ? undefined
          : { tenant: 'acme', person: { id }, roles: ['cashier'] };
      },
      // Without credentials of the log, a rejected request is no error.
      onError: () => {},
    });
  }

  /** The desk of the tenant of all people. */
  get acme() {
    return this.desk.forTenant('acme');
  }

  /** The client of a person, by their name, or of a key. */
  as(token: string): DeskClient {
    const headers = { authorization: `Bearer ${token}` };
    return deskClient({ url: URL_OF_DESK, headers, fetch: this.desk.fetch });
  }

  /** Sends a request without the client. */
  send(path: string, token: string | undefined, body?: unknown): Promise<Response> {
    const headers = new Headers({ 'content-type': 'application/json' });
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const url = path.startsWith('https:') ? path : `${URL_OF_DESK}${path}`;
    return this.desk.fetch(new Request(url, { ...init, headers }));
  }

  /** Creates a key of a service account. */
  async key(account: string, scopes: readonly KeyScope[], tenant = 'acme'): Promise<string> {
    const by = { id: 'root' };
    return (await this.desk.forTenant(tenant).keys.create({ account, scopes, by })).key;
  }
}
