import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';

/** What came of checking arguments that somebody wants to put in place of those of a call. */
export type CheckedEdit =
  | {
      readonly ok: true;
      /** The validated arguments in their JSON form; as given, if the tool sets `approversSee: 'input'`. */
      readonly args: JsonValue;
      /** What the call would do with them, where its tool says so. */
      readonly preview?: JsonValue | undefined;
    }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

/** Checks an edit of the arguments of a call; `undefined` where its tool is not known. */
export type EditCheck = (toolCallId: string, args: JsonObject) => Promise<CheckedEdit | undefined>;
