import { z } from '@hono/zod-openapi';
import { GRANT_SCOPES } from '../../model/approver-rule.ts';
import type { Remember } from '../../model/remember.ts';
import { jsonObjectSchema } from './json-schema.ts';

/** How an approval is to be remembered. The desk checks it again, as it does for everybody. */
export const rememberViewSchema: z.ZodType<Remember> = z
  .strictObject({
    match: z.union([
      z.enum(['tool', 'same-arguments']),
      z.strictObject({ args: jsonObjectSchema }),
    ]),
    scope: z.enum(GRANT_SCOPES).optional(),
    expiresAfter: z.number().positive().optional().openapi({ description: 'Milliseconds.' }),
    uses: z.number().int().min(1).optional(),
  })
  .openapi('Remember');
