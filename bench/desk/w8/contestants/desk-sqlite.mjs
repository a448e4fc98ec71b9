import { join } from 'node:path';
import { sqliteStore } from '@holdpoint/desk';
import { DeskContestant } from './desk.mjs';

export async function open({ folder }) {
  return new DeskContestant(await sqliteStore({ path: join(folder, 'desk.sqlite') }));
}
