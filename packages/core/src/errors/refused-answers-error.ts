import { quoteIds } from './quote-ids.ts';
import { UserError } from './user-error.ts';

/** Answers to deferred calls do not fit the calls; nothing was run. */
export class RefusedAnswersError extends UserError {
  override name = 'RefusedAnswersError';
  override readonly code = 'refused-answers';
  /** The calls whose answers will not do. */
  readonly toolCallIds: readonly string[];

  constructor(toolCallIds: readonly string[], problem: string) {
    super(`Nothing was run. ${problem} Tool call ids: ${quoteIds(toolCallIds)}.`);
    this.toolCallIds = toolCallIds;
  }
}
