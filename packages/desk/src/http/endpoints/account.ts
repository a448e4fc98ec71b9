import { createRoute, z } from '@hono/zod-openapi';
import { contextOf } from '../../desk/desk-reader.ts';
import type { Person } from '../../model/person.ts';
import { responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { NO_QUERY, personSchema } from '../views/schemas.ts';

/** The caller, as the desk identifies them. */
export interface MeView {
  /** The tenant whose runs the caller can read. */
  readonly tenant: string;
  readonly person: Person;
  readonly roles: readonly string[];
  /** The names of the agents that the caller can start. */
  readonly agents: readonly string[];
  /** Reasons for denials that approvers choose from. */
  readonly denyReasons: readonly string[];
  /** The address that ends the caller's session by `POST`; missing without a session. */
  readonly signOut?: string | undefined;
}

/** The health of a desk and its store. */
export interface Health {
  readonly status: 'ok';
}

const meSchema: z.ZodType<MeView> = z
  .strictObject({
    tenant: z.string(),
    person: personSchema,
    roles: z.array(z.string()),
    agents: z.array(z.string()),
    denyReasons: z.array(z.string()),
    signOut: z.string().optional(),
  })
  .openapi('Me');

/** Serves facts about the caller and the desk. */
export function serveAccount(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/me',
      operationId: 'getMe',
      tags: ['Account'],
      summary: 'Returns the caller, their tenant and the agents of the desk',
      request: { query: NO_QUERY },
      responses: responses({ 200: ['The caller.', meSchema] }),
    }),
    ({ var: { scope } }) => {
      const { tenant, person, roles = [], signOut } = scope.caller;
      const { denyReasons } = contextOf(scope.desk);
      const { agents } = scope.desk;
      const me: MeView = { tenant, person, roles, agents, denyReasons, signOut };
      return Response.json(me);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/health',
      operationId: 'getHealth',
      tags: ['Health'],
      summary: 'Reads from the store',
      request: { query: NO_QUERY },
      responses: responses({
        200: [
          'The desk and its store respond.',
          z.strictObject({ status: z.literal('ok') }).openapi('Health'),
        ],
      }),
    }),
    async ({ var: { scope } }) => {
      await scope.desk.latestEvent();
      return Response.json({ status: 'ok' } satisfies Health);
    },
  );
}
