import { sqliteStore } from '@holdpoint/desk';
import type { StoryStore } from './stage.ts';
import { TestClock } from './test-clock.ts';

let databases = 0;

/** Opens a SQLite database in memory. Its two connections share it. */
export async function openSqlite(): Promise<StoryStore> {
  databases += 1;
  const clock = new TestClock();
  const path = `file:stories-${databases}?mode=memory&cache=shared`;
  return { store: await sqliteStore({ path, now: clock.now }), clock };
}
