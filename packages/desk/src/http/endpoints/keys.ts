import { createRoute, z } from '@hono/zod-openapi';
import type { ApiKey, CreatedKey } from '../../links/api-key.ts';
import { KEY_SCOPES, type KeyScope } from '../../model/key-scope.ts';
import { jsonBody, NO_BODY, responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { isoTime, NO_QUERY, optionalTime, personSchema, timeSchema } from '../views/schemas.ts';

/** A key of a service account, without its secret. */
export interface KeyView extends Omit<ApiKey, 'createdAt' | 'expiresAt' | 'lastUsedAt'> {
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt?: string | undefined;
}

/** A key with its secret, which the desk returns once. */
export interface CreatedKeyView extends KeyView {
  readonly key: string;
}

/** The keys of a tenant. */
export interface KeyList {
  readonly items: readonly KeyView[];
}

/** A key to create. */
export interface CreateKeyBody {
  /** The name of the service account, such as `billing`. Its id is `service:billing`. */
  readonly account: string;
  readonly scopes: readonly KeyScope[];
  /** The time until the key expires, in milliseconds; 90 days by default. */
  readonly expiresAfter?: number | undefined;
}

/** Options of a rotation. */
export interface RotateKeyBody {
  /** The time until the new key expires, in milliseconds; 90 days by default. */
  readonly expiresAfter?: number | undefined;
}

const expiresAfter = z.int().min(1).optional();

const view = {
  id: z.string(),
  account: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(KEY_SCOPES)),
  state: z.enum(['active', 'expired', 'revoked']),
  createdBy: personSchema,
  createdAt: timeSchema,
  expiresAt: timeSchema,
  lastUsedAt: timeSchema.optional(),
};
const keySchema: z.ZodType<KeyView> = z.strictObject(view).openapi('Key');
const createdSchema: z.ZodType<CreatedKeyView> = z
  .strictObject({
    ...view,
    key: z.string().openapi({ description: 'The secret. It cannot be read again.' }),
  })
  .openapi('CreatedKey');

const params = z.strictObject({ keyId: z.string().regex(/^[0-9a-f]{64}$/) });
const tags = ['Service accounts'];

/** Serves the keys of service accounts to administrators. */
export function serveKeys(api: DeskApi): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/keys',
      operationId: 'listKeys',
      tags,
      summary: 'Lists the keys of service accounts, the oldest first',
      request: { query: NO_QUERY },
      responses: responses({
        200: ['The keys.', z.strictObject({ items: z.array(keySchema) }).openapi('KeyList')],
      }),
    }),
    async (context) => {
      const { desk, access } = context.var.scope;
      await access.requireAdministrator();
      return Response.json({ items: (await desk.keys.list()).map(keyView) } satisfies KeyList);
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/keys',
      operationId: 'createKey',
      tags,
      summary: 'Creates a key of a service account',
      description: 'The response contains the secret, which cannot be read again.',
      request: {
        query: NO_QUERY,
        body: jsonBody<CreateKeyBody>(
          z
            .strictObject({
              account: z.string().min(1).max(64),
              scopes: z.array(z.enum(KEY_SCOPES)).min(1),
              expiresAfter,
            })
            .openapi('CreateKey'),
        ),
      },
      responses: responses({ 201: ['The key with its secret.', createdSchema] }),
    }),
    async (context) => {
      const { desk, access, caller } = context.var.scope;
      await access.requireAdministrator();
      const options = { ...context.req.valid('json'), by: caller.person };
      return Response.json(createdView(await desk.keys.create(options)), { status: 201 });
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/keys/{keyId}/rotate',
      operationId: 'rotateKey',
      tags,
      summary: 'Replaces a key, and revokes it',
      request: {
        params,
        query: NO_QUERY,
        body: jsonBody<RotateKeyBody>(z.strictObject({ expiresAfter }).openapi('RotateKey')),
      },
      responses: responses({ 201: ['The new key with its secret.', createdSchema] }, 410),
    }),
    async (context) => {
      const { desk, access, caller } = context.var.scope;
      await access.requireAdministrator();
      const options = { ...context.req.valid('json'), by: caller.person };
      const created = await desk.keys.rotate(context.req.valid('param').keyId, options);
      return Response.json(createdView(created), { status: 201 });
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/keys/{keyId}/revoke',
      operationId: 'revokeKey',
      tags,
      summary: 'Revokes a key',
      request: { params, query: NO_QUERY, body: NO_BODY },
      responses: responses({ 200: ['The revoked key.', keySchema] }),
    }),
    async (context) => {
      const { desk, access, caller } = context.var.scope;
      await access.requireAdministrator();
      const { keyId } = context.req.valid('param');
      return Response.json(keyView(await desk.keys.revoke(keyId, { by: caller.person })));
    },
  );
}

function keyView({ createdAt, expiresAt, lastUsedAt, ...key }: ApiKey): KeyView {
  return {
    ...key,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    lastUsedAt: optionalTime(lastUsedAt),
  };
}

function createdView({ key, ...rest }: CreatedKey): CreatedKeyView {
  return { ...keyView(rest), key };
}
