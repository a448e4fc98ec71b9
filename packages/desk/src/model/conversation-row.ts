import type { Person } from './person.ts';

/** The facts about a conversation that outlive its runs. */
export interface ConversationRow {
  readonly tenant: string;
  readonly id: string;
  /** Everyone who contributed a prompt or a message; `null` for an unknown requester. */
  readonly requesters: readonly (Person | null)[];
}
