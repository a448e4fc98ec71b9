import type { JsonValue } from 'holdpoint';
import type { Person } from './person.ts';

/** The facts about a request from outside that its run stores. */
export interface RequestFacts {
  /** The caller who created the request. Only they can claim its call. */
  readonly owner: Person;
}

/** How a request ended. */
export type RequestOutcome =
  /** The call executed, or a person recorded its result. */
  | { readonly kind: 'value'; readonly value: JsonValue }
  /** The call failed. */
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'denied'; readonly reason?: string | undefined }
  /** The call did not execute: an approver requested changes. */
  | { readonly kind: 'retry'; readonly message: string }
  | { readonly kind: 'expired' };

/** The beginning of the agent names of requests. No agent of a desk has such a name. */
export const OUTSIDE_PREFIX = 'outside:';

/** The queue of the tasks that end the leases of claimed requests. It cannot be the name of an agent. */
export const OUTSIDE_QUEUE: string = `${OUTSIDE_PREFIX}requests`;

/** Returns whether the name of an agent is that of requests from outside. */
export function isOutsideAgent(agent: string): boolean {
  return agent.startsWith(OUTSIDE_PREFIX);
}
