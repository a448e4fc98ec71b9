import { z } from '@hono/zod-openapi';
import { contextOf } from '../../desk/desk-reader.ts';
import { requesterKeyOf } from '../../transitions/accept-once.ts';
import { HttpProblem } from '../http-problem.ts';
import type { RequestScope } from '../scope.ts';
import { nameSchema } from '../views/schemas.ts';

/** The header of requests that a client may safely repeat. */
export const idempotencyHeaders: z.ZodObject<{
  'Idempotency-Key': z.ZodType<string | undefined>;
}> = z.object({
  'Idempotency-Key': nameSchema.optional().openapi({
    description: 'A repeated request of the same caller with the same key has no further effect.',
  }),
});

/** Returns the idempotency key of a request, from its header or its body. */
export function idempotencyKeyOf(
  header: string | undefined,
  body: string | undefined,
): string | undefined {
  if (header === undefined || body === undefined || header === body) return header ?? body;
  throw new HttpProblem({
    status: 400,
    code: 'invalid-request',
    message:
      'The header `Idempotency-Key` and the member `idempotencyKey` differ. Pass one of them, or the same key in both.',
  });
}

/** Returns true if the caller sent an earlier request with this key. */
export async function isReplay(
  { desk, caller }: RequestScope,
  idempotencyKey: string | undefined,
): Promise<boolean> {
  if (idempotencyKey === undefined) return false;
  const requesterKey = requesterKeyOf(caller.person);
  const known = await contextOf(desk).store.read((tx) =>
    tx.inputs.byIdempotencyKey(desk.tenant, requesterKey, idempotencyKey),
  );
  return known !== undefined;
}
