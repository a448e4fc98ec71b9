import type { DeferredToolRequests } from 'holdpoint';
import type { Prompter } from './prompter.ts';
import type { Screen } from './screen.ts';

/** What is needed to ask about a call. */
export interface Questioner {
  readonly screen: Screen;
  readonly prompter: Prompter;
  /** What is asked about. */
  readonly requests: DeferredToolRequests;
}
