import { z } from '@hono/zod-openapi';
import { type Decision, type DecisionRow, editedArgs } from '../../model/decision-row.ts';
import { toJson } from '../../model/json.ts';
import type { Person } from '../../model/person.ts';
import type { Redaction } from '../../redaction/redaction.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { type HoldView, holdViewSchema } from './hold-view.ts';
import { isoTime, jsonObjectSchema, jsonSchema, personSchema, timeSchema } from './schemas.ts';
import { delegatorIn } from './vote-view.ts';

/** A recorded decision. */
export interface DecisionView {
  readonly by: Person;
  /** The person on whose behalf the approver decided. */
  readonly onBehalfOf?: Person | undefined;
  readonly decision: Decision;
  /** The digest of the hold that the approver was shown. */
  readonly digest: string;
  readonly at: string;
}

/** A hold with the decisions on it. */
export interface HoldDetailView {
  readonly hold: HoldView;
  readonly decisions: readonly DecisionView[];
}

const text = z.string().max(100_000);

/** A decision on a hold. The desk validates it again for every caller. */
export const decisionSchema: z.ZodType<Decision> = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('approve'),
      args: jsonObjectSchema.optional(),
      reason: text.optional(),
    }),
    z.strictObject({ kind: z.literal('deny'), reason: text.optional() }),
    z.strictObject({ kind: z.literal('input'), value: jsonSchema }),
    z.strictObject({ kind: z.literal('result'), value: jsonSchema }),
    z.strictObject({ kind: z.literal('retry'), message: text.regex(/\S/) }),
    z.strictObject({ kind: z.literal('fail'), message: text }),
  ])
  .openapi('Decision');

const decisionViewSchema: z.ZodType<DecisionView> = z
  .strictObject({
    by: personSchema,
    onBehalfOf: personSchema.optional(),
    decision: decisionSchema,
    digest: z.string(),
    at: timeSchema,
  })
  .openapi('RecordedDecision');

export const holdDetailSchema: z.ZodType<HoldDetailView> = z
  .strictObject({ hold: holdViewSchema, decisions: z.array(decisionViewSchema) })
  .openapi('HoldDetail');

/** Returns a decision without the values that approvers must not see. */
export function decisionView(
  row: DecisionRow,
  toolName: string,
  redaction: Redaction,
  secrets: Secrets,
): DecisionView {
  const { by, decision, digest, at } = row;
  const args = editedArgs(decision);
  const shown =
    args === undefined ? decision : { ...decision, args: redaction.argsOf({ toolName, args }) };
  // Removing values from a decision leaves a decision of its kind.
  const taken = { ...(secrets.takeOutOf(toJson(shown)) as object), kind: decision.kind };
  return { by, ...delegatorIn(row), decision: taken as Decision, digest, at: isoTime(at) };
}
