import { z } from '@hono/zod-openapi';
import {
  closesHold,
  type Decision,
  type DecisionRow,
  editedArgs,
} from '../../model/decision-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { Person } from '../../model/person.ts';
import type { Vote } from '../../model/vote.ts';
import { isoTime, personSchema, timeSchema } from './schemas.ts';

/** An approver's decision on a hold. */
export interface VoteView {
  readonly by: Person;
  /** The person on whose behalf the approver decided. */
  readonly onBehalfOf?: Person | undefined;
  readonly kind: Decision['kind'];
  /** True if the approver edited the arguments. */
  readonly isEdit: boolean;
  readonly at: string;
  /** True if it is about the call that the digest names now. */
  readonly counts: boolean;
}

export const voteSchema: z.ZodType<VoteView> = z
  .strictObject({
    by: personSchema,
    onBehalfOf: personSchema.optional(),
    kind: z.enum(['approve', 'deny', 'input', 'result', 'retry', 'fail']),
    isEdit: z.boolean(),
    at: timeSchema,
    counts: z.boolean(),
  })
  .openapi('Vote');

/** Returns the votes on a hold; without the recorded decisions only those that count. */
export function votesView(
  hold: HoldRow,
  decisions: readonly DecisionRow[] = [],
): readonly VoteView[] {
  if (decisions.length === 0) return (hold.votes ?? []).map((vote) => countingVote(hold, vote));
  return decisions.map((row) => ({
    by: personOf(row.by),
    ...delegatorIn(row),
    kind: row.decision.kind,
    isEdit: editedArgs(row.decision) !== undefined,
    at: isoTime(row.at),
    counts: counts(hold, row),
  }));
}

function countingVote({ proposal }: HoldRow, vote: Vote): VoteView {
  const isProposer = proposal?.by.id === vote.id && proposal.at === vote.at;
  const proposed = isProposer ? proposal.decision : undefined;
  const kind = proposed?.kind ?? 'approve';
  const isEdit = editedArgs(proposed) !== undefined;
  return {
    by: personOf(vote),
    ...delegatorIn(vote),
    kind,
    isEdit,
    at: isoTime(vote.at),
    counts: true,
  };
}

/** A denial and a request for changes always count. Another decision counts if it is among the votes for the digest. */
function counts(hold: HoldRow, { decision, by, at }: DecisionRow): boolean {
  const { votes = [], decidedBy } = hold;
  if (closesHold(hold, decision)) return true;
  return decidedBy === undefined && votes.some((vote) => vote.id === by.id && vote.at === at);
}

/** Returns the person on whose behalf a decision was made. */
export function delegatorIn({
  onBehalfOf,
}: Pick<Vote, 'onBehalfOf'>): Pick<VoteView, 'onBehalfOf'> {
  return onBehalfOf === undefined ? {} : { onBehalfOf: personOf(onBehalfOf) };
}

function personOf({ id, name }: Person): Person {
  return { id, ...(name !== undefined && { name }) };
}
