import { sql } from 'kysely';
import type { AnswerRow } from '../../model/answer-row.ts';
import type { HoldAnswerKey, ReadAnswers } from '../store.ts';
import { KyselyTable } from './kysely-table.ts';

/** Answers in a database. */
export class KyselyAnswers extends KyselyTable<AnswerRow, HoldAnswerKey> implements ReadAnswers {
  ofHold(tenant: string, holdId: string): Promise<readonly AnswerRow[]> {
    return this.all(sql`tenant = ${tenant} and hold_id = ${holdId} order by number`);
  }
}
