import { quoteIds } from './quote-ids.ts';
import { UserError } from './user-error.ts';

/** Some pending calls have neither a decision nor a result; none of them was executed. */
export class UnansweredCallsError extends UserError {
  override name = 'UnansweredCallsError';
  override readonly code = 'unanswered-calls';
  /** The calls without an answer. */
  readonly toolCallIds: readonly string[];

  /** `problem` says what happened, where it is something else than a resume with too few answers. */
  constructor(toolCallIds: readonly string[], problem?: string) {
    super(
      problem ??
        'Nothing was run: calls that wait have no answer. Answer all of them at once. ' +
          `Tool call ids: ${quoteIds(toolCallIds)}.`,
    );
    this.toolCallIds = toolCallIds;
  }
}
