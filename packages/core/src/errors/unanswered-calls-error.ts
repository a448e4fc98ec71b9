import { quoteIds } from './quote-ids.ts';
import { UserError } from './user-error.ts';

/** Some of the calls that wait have no answer; nothing was run. */
export class UnansweredCallsError extends UserError {
  override name = 'UnansweredCallsError';
  override readonly code = 'unanswered-calls';
  /** The calls without an answer. */
  readonly toolCallIds: readonly string[];

  constructor(toolCallIds: readonly string[]) {
    super(
      'Nothing was run: calls that wait have no answer. Answer all of them at once. ' +
        `Tool call ids: ${quoteIds(toolCallIds)}.`,
    );
    this.toolCallIds = toolCallIds;
  }
}
