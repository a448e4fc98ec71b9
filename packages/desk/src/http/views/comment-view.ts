import { z } from '@hono/zod-openapi';
import type { CommentRow } from '../../model/comment-row.ts';
import type { Person } from '../../model/person.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { isoTime, personSchema, timeSchema } from './schemas.ts';

/** A comment on a hold. */
export interface CommentView {
  readonly number: number;
  readonly by: Person;
  /** Plain text of a person. Do not interpret it as markup. */
  readonly text: string;
  readonly at: string;
}

export const commentSchema: z.ZodType<CommentView> = z
  .strictObject({ number: z.number(), by: personSchema, text: z.string(), at: timeSchema })
  .openapi('Comment');

/** Returns a comment without the values that approvers must not see. */
export function commentView({ number, by, text, at }: CommentRow, secrets: Secrets): CommentView {
  return { number, by, text: secrets.takeOutOfText(text), at: isoTime(at) };
}
