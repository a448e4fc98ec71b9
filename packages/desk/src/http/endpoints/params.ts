import { z } from '@hono/zod-openapi';

/** A name in an address, of at most 200 characters that every database can hold. */
export const nameSchema: z.ZodString = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text));

/** The first characters of an id, as people type them. */
export const idPrefixSchema: z.ZodType<string | undefined> = z
  .string()
  .regex(/^[0-9a-f]{1,32}$/)
  .optional()
  .openapi({ description: 'Only items whose ids begin with these hexadecimal digits.' });

const id = z.string().regex(/^[0-9a-f]{32}$/);

/** A run in an address. */
export interface RunParams {
  readonly runId: string;
}

/** A hold in an address. */
export interface HoldParams {
  readonly holdId: string;
}

/** A grant in an address. */
export interface GrantParams {
  readonly grantId: string;
}

/** A conversation in an address. Applications may have given it its name. */
export interface ConversationParams {
  readonly conversationId: string;
}

export const runParams: z.ZodType<RunParams> = z.strictObject({ runId: id });
export const holdParams: z.ZodType<HoldParams> = z.strictObject({ holdId: id });
export const grantParams: z.ZodType<GrantParams> = z.strictObject({ grantId: id });
export const conversationParams: z.ZodType<ConversationParams> = z.strictObject({
  conversationId: nameSchema,
});

/** Yes or no in an address. */
export const booleanParam: z.ZodType<boolean | undefined> = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

/** A body that says nothing; it has to be there all the same, since no other site can send it. */
export const emptyBody: z.ZodType<object> = z.strictObject({});
