import { postgresStore } from '@holdpoint/desk';
import { Pool } from 'pg';
import { DeskContestant } from './desk.mjs';

export async function open({ url, connections }) {
  const pool = new Pool({ connectionString: url, max: connections });
  return new DeskContestant(await postgresStore({ pool }));
}
