import { createRoute, z } from '@hono/zod-openapi';
import { isSamePerson } from '../../approvers/same-person.ts';
import { DeskError } from '../../errors/desk-error.ts';
import type { DelegationRow } from '../../model/delegation-row.ts';
import type { Page, PageQuery } from '../../model/page.ts';
import type { Person } from '../../model/person.ts';
import { notFound } from '../../transitions/not-found.ts';
import { jsonBody, NO_BODY, responses } from '../routes.ts';
import type { DeskApi, RequestScope } from '../scope.ts';
import { delegationSchema, type DelegationView, delegationView } from '../views/delegation-view.ts';
import {
  booleanParam,
  definedMembers,
  idSchema,
  nameSchema,
  NO_QUERY,
  pageParams,
  pageSchema,
} from '../views/schemas.ts';

/** A delegation of the caller's approvals. */
export interface DelegateBody {
  /** The person who decides on behalf of the caller. */
  readonly to: Person;
  /** The time from which the delegation is no longer valid. */
  readonly until: string;
  /** The roles that the delegate may use; all roles of the caller by default. */
  readonly roles?: readonly string[] | undefined;
}

/** A query for delegations, the latest first. */
export interface DelegationListQuery extends PageQuery {
  /** `true` for delegations that are valid now, `false` for the others. */
  readonly live?: boolean | undefined;
  /** Set to list those of everyone in the tenant. Only administrators may. */
  readonly all?: boolean | undefined;
}

const bodySchema: z.ZodType<DelegateBody> = z
  .strictObject({
    to: z.strictObject({ id: nameSchema, name: nameSchema.optional() }),
    until: z.iso.datetime({ offset: true }),
    roles: z.array(nameSchema).max(1_000).optional(),
  })
  .openapi('Delegate');

const tags = ['Delegations'];

/** Serves delegations: list, create and revoke. */
export function serveDelegations(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/delegations',
      operationId: 'listDelegations',
      tags,
      summary: 'Lists the delegations from and to the caller, the latest first',
      request: {
        query: z.strictObject({
          ...pageParams,
          live: booleanParam.openapi({
            description: 'true: delegations that are valid now. false: all others.',
          }),
          all: booleanParam.openapi({
            description: 'true: those of everyone in the tenant. Only administrators may.',
          }),
        }),
      },
      responses: responses({ 200: ['A page of delegations.', pageSchema(delegationSchema)] }),
    }),
    async (context) => {
      const { desk, caller, access } = context.var.scope;
      const { all, ...query } = definedMembers(context.req.valid('query'));
      if (all) await access.requireAdministrator();
      const person = all ? undefined : caller.person.id;
      const { items, next } = await desk.delegations({ ...query, ...(person && { person }) });
      const page: Page<DelegationView> = { items: items.map(delegationView), next };
      return Response.json(page);
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/delegations',
      operationId: 'delegate',
      tags,
      summary: 'Lets another person decide on behalf of the caller',
      description:
        'The delegate decides as themselves, with the authority of the caller, until the end. The caller can still decide.',
      request: { query: NO_QUERY, body: jsonBody(bodySchema) },
      responses: responses({ 200: ['The delegation.', delegationSchema] }, 413, 415, 422),
    }),
    async (context) => {
      const { desk, caller, access } = context.var.scope;
      const { to, until, roles } = context.req.valid('json');
      await access.require('delegate', { kind: 'tenant', tenant: caller.tenant });
      const own = caller.roles ?? [];
      requireOwnRoles(own, roles ?? []);
      const row = await desk.delegate({
        from: caller.person,
        to,
        roles: roles ?? own,
        until: Date.parse(until),
      });
      return Response.json(delegationView(row));
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/delegations/{delegationId}/revoke',
      operationId: 'revokeDelegation',
      tags,
      summary: 'Revokes a delegation',
      description:
        'The delegator, the delegate and administrators may. Votes that were given stay.',
      request: {
        params: z.strictObject({ delegationId: idSchema }),
        query: NO_QUERY,
        body: NO_BODY,
      },
      responses: responses({ 200: ['The revoked delegation.', delegationSchema] }),
    }),
    async (context) => {
      const { scope } = context.var;
      const { delegationId } = context.req.valid('param');
      await requireParty(scope, await scope.desk.delegation(delegationId));
      const by = scope.caller.person;
      return Response.json(delegationView(await scope.desk.revokeDelegation(delegationId, { by })));
    },
  );
}

function requireOwnRoles(own: readonly string[], roles: readonly string[]): void {
  const missing = roles.find((role) => !own.includes(role));
  if (missing === undefined) return;
  throw new DeskError(
    'delegation-does-not-fit',
    `You do not have the role \`${missing}\`. Nothing was written. Pass roles that you have.`,
  );
}

/** A delegation of other people is reported as missing, unless the caller is an administrator. */
async function requireParty({ caller, access }: RequestScope, row: DelegationRow): Promise<void> {
  const parties = [row.delegator, row.delegate];
  if (parties.some((party) => isSamePerson(party, caller.person))) return;
  if (!(await access.isAdministrator())) throw notFound('delegation', row.id);
}
