import { createRoute, z } from '@hono/zod-openapi';
import type { Person } from '../../model/person.ts';
import type { DeviceCode, DeviceSignIn, DeviceSignInState } from '../entrance.ts';
import { HttpProblem } from '../http-problem.ts';
import { readBody } from '../json-body.ts';
import { requireOwnSite } from '../own-site.ts';
import type { RateLimits } from '../rate-limits.ts';
import { jsonBody, NO_BODY, responses } from '../routes.ts';
import type { DeskApi } from '../scope.ts';
import { isoTime, NO_QUERY, personSchema, timeSchema } from '../views/schemas.ts';

/** The code that a person enters at the provider. */
export type DeviceCodeView = DeviceCode;

/** A sign-in whose state a program requests. */
export interface DeviceSignInBody {
  /** The secret that the desk returned with the code. */
  readonly deviceCode: string;
}

/** The state of the sign-in of a program. */
export type DeviceSignInView =
  | Exclude<DeviceSignInState, { readonly state: 'signed-in' }>
  | {
      readonly state: 'signed-in';
      /** The bearer token of the session. */
      readonly token: string;
      readonly expiresAt: string;
      readonly person: Person;
    };

const codeSchema: z.ZodType<DeviceCodeView> = z
  .strictObject({
    deviceCode: z
      .string()
      .openapi({ description: 'A secret. Send it to `POST /v1/sign-in/device/token`.' }),
    userCode: z.string().openapi({ description: 'The code that a person enters at `url`.' }),
    url: z.string(),
    completeUrl: z.string().optional().openapi({ description: 'The address with the code in it.' }),
    expiresAfter: z.number().openapi({ description: 'In milliseconds.' }),
    interval: z
      .number()
      .openapi({ description: 'The time between two requests, in milliseconds.' }),
  })
  .openapi('DeviceCode');

const stateSchema: z.ZodType<DeviceSignInView> = z
  .union([
    z.strictObject({ state: z.enum(['pending', 'slow-down', 'denied', 'expired']) }),
    z.strictObject({
      state: z.literal('signed-in'),
      token: z.string().openapi({ description: 'The secret of the session, as a bearer token.' }),
      expiresAt: timeSchema,
      person: personSchema,
    }),
  ])
  .openapi('DeviceSignIn');

const tags = ['Account'];
const MAX_CODE_LENGTH = 2_000;

/** Serves the sign-in of programs. Their callers are not authenticated yet. */
export function serveDeviceSignIn(
  api: DeskApi,
  device: DeviceSignIn | undefined,
  {
    url,
    rateLimits,
    maxBytes,
  }: {
    /** The public address of the desk. */
    readonly url: string | undefined;
    readonly rateLimits: RateLimits;
    readonly maxBytes: number;
  },
): void {
  api.use('/v1/sign-in/*', async ({ req }, next) => {
    rateLimits.countSignIn(req.raw);
    requireOwnSite(req.raw, url, undefined);
    await next();
  });
  api.use('/v1/sign-in/*', readBody(maxBytes));
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/sign-in/device',
      operationId: 'beginDeviceSignIn',
      tags,
      summary: 'Returns a code with which a person signs a program in',
      security: [],
      request: { query: NO_QUERY, body: NO_BODY },
      responses: responses({ 200: ['The code.', codeSchema] }, 429),
    }),
    async (context) => {
      const { requestId } = context.var;
      return Response.json((await requireDevice(device).begin(requestId)) satisfies DeviceCodeView);
    },
  );
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/sign-in/device/token',
      operationId: 'finishDeviceSignIn',
      tags,
      summary: 'Returns the state of a sign-in, and the token of the session once',
      description: 'After `slow-down`, wait five seconds longer between two requests.',
      security: [],
      request: {
        query: NO_QUERY,
        body: jsonBody<DeviceSignInBody>(
          z
            .strictObject({ deviceCode: z.string().min(1).max(MAX_CODE_LENGTH) })
            .openapi('DeviceSignInCode'),
        ),
      },
      responses: responses({ 200: ['The state.', stateSchema] }, 429),
    }),
    async (context) => {
      const { deviceCode } = context.req.valid('json');
      const found = await requireDevice(device).finish(deviceCode, context.var.requestId);
      return Response.json(viewOf(found));
    },
  );
}

function viewOf(found: DeviceSignInState): DeviceSignInView {
  if (found.state !== 'signed-in') return found;
  return { ...found, expiresAt: isoTime(found.expiresAt) };
}

function requireDevice(device: DeviceSignIn | undefined): DeviceSignIn {
  if (device !== undefined) return device;
  throw new HttpProblem({
    status: 404,
    code: 'no-device-flow',
    message:
      'This desk does not sign programs in with a code. Use the key of a service account, or a token of the operator.',
  });
}
