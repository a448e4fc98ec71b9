import type { Hold } from '../client/types.ts';
import { useConnection } from '../live/use-connection.ts';
import { useNow } from '../time/use-now.ts';

/** Whether somebody can answer. */
export interface Blocked {
  /** Why not now. */
  readonly blocked?: string | undefined;
  /** Why not at all. */
  readonly mayNot?: string | undefined;
}

/** Whether somebody can answer a hold, and why not. */
export function useBlocked({ mine, expiresAt }: Hold, isChanged: boolean): Blocked {
  const connection = useConnection();
  const now = useNow(1_000);
  if (!mine.mayAnswer) return { mayNot: mine.why ?? 'You may not answer this.' };
  if (isChanged) return { blocked: 'It has changed. Look at the change first.' };
  if (connection === 'lost') {
    return { blocked: 'There is no connection to the desk. You can answer when it is back.' };
  }
  if (expiresAt !== undefined && expiresAt <= now) return { blocked: 'Time is over.' };
  return {};
}
