import { createRoute, z } from '@hono/zod-openapi';
import type { DeskApi } from './scope.ts';
import { NO_QUERY } from './views/schemas.ts';

/** The path of the OpenAPI document, from the root of the desk. */
export const OPENAPI_PATH = '/v1/openapi.json';

/**
 * Serves the OpenAPI document without credentials. It describes the routes and contains no data.
 *
 * @param server - The address or the path of the desk.
 */
export function serveOpenApi(api: DeskApi, server: string): void {
  const { openAPIRegistry } = api;
  openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'The key of a service account, or a token that `authorize` of the desk accepts.',
  });
  openAPIRegistry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-holdpoint',
    description:
      'The session of a person who signed in. Changes also need the header `x-holdpoint-csrf: 1`.',
  });
  let document: string | undefined;
  api.openapi(
    createRoute({
      method: 'get',
      path: OPENAPI_PATH,
      operationId: 'getOpenApi',
      tags: ['Account'],
      summary: 'Returns this document',
      security: [],
      request: { query: NO_QUERY },
      responses: {
        200: {
          description: 'The OpenAPI document.',
          content: { 'application/json': { schema: z.looseObject({}) } },
        },
      },
    }),
    ({ body }) => {
      document ??= JSON.stringify(
        api.getOpenAPI31Document({ ...DOCUMENT, servers: [{ url: server }] }),
      );
      // A string of JSON has no type that describes its contents.
      return body(document, 200, { 'content-type': 'application/json' }) as never;
    },
  );
}

const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Holdpoint desk',
    version: '1',
    description:
      'Stores parked runs of agents, collects the decisions of approvers, and resumes the runs. ' +
      'Times are in ISO 8601. Lists are pages of `items` with a cursor `next`. Errors are problem documents of RFC 9457.',
  },
  security: [{ bearer: [] }, { cookie: [] }],
  tags: [
    { name: 'Runs', description: 'Runs of agents.' },
    { name: 'Conversations', description: 'Messages that runs share.' },
    { name: 'Holds', description: 'Tool calls that need a decision, and the decisions.' },
    { name: 'Requests', description: 'Calls that other programs execute after an approval.' },
    { name: 'Grants', description: 'Stored approvals of similar calls.' },
    { name: 'Audit', description: 'The tamper-evident log of each run.' },
    { name: 'Events', description: 'Changes as server-sent events.' },
    { name: 'Service accounts', description: 'Keys of programs.' },
    { name: 'Account', description: 'The caller and this document.' },
    { name: 'Health', description: 'Checks for load balancers and operators.' },
  ],
};
