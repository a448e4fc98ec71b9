import { z } from '@hono/zod-openapi';
import type { AnswerRow, HoldAnswer } from '../../model/answer-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import type { Person } from '../../model/person.ts';
import { timeSchema } from './json-schema.ts';
import { personSchema } from './person-view.ts';

/** What somebody has said to a hold. */
export interface VoteView {
  readonly by: Person;
  readonly kind: HoldAnswer['kind'];
  readonly at: number;
  /** Whether it is about what the digest names now. */
  readonly counts: boolean;
}

export const voteSchema: z.ZodType<VoteView> = z
  .strictObject({
    by: personSchema,
    kind: z.enum(['approve', 'edit', 'deny', 'result', 'retry', 'fail']),
    at: timeSchema,
    counts: z.boolean(),
  })
  .openapi('Vote');

/** The votes on a hold; without the answers only those that count. */
export function votesView(hold: HoldRow, answers: readonly AnswerRow[] = []): readonly VoteView[] {
  if (answers.length === 0) return (hold.votes ?? []).map((vote) => countingVote(hold, vote));
  return answers.map((row) => ({
    by: personOf(row.by),
    kind: row.answer.kind,
    at: row.at,
    counts: counts(hold, row),
  }));
}

function countingVote({ proposal }: HoldRow, vote: Person & { readonly at: number }): VoteView {
  const isProposer = proposal?.by.id === vote.id && proposal.at === vote.at;
  const kind = (isProposer ? proposal.answer?.kind : undefined) ?? 'approve';
  return { by: personOf(vote), kind, at: vote.at, counts: true };
}

/** A denial decides whatever it was about. Another decision counts if it is among the votes for the digest. */
function counts({ votes = [], decidedBy }: HoldRow, { answer, by, at }: AnswerRow): boolean {
  if (answer.kind === 'deny') return true;
  return decidedBy === undefined && votes.some((vote) => vote.id === by.id && vote.at === at);
}

function personOf({ id, name }: Person): Person {
  return { id, ...(name !== undefined && { name }) };
}
