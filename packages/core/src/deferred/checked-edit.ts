import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';

/** The outcome of validating edited arguments of a call. */
export type CheckedEdit =
  | {
      readonly ok: true;
      /** The validated arguments in their JSON form; as given, if the tool sets `approversSee: 'input'`. */
      readonly args: JsonValue;
      /** The description of the edited call by its tool; absent if the tool has no preview. */
      readonly preview?: JsonValue | undefined;
    }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

/** Validates edited arguments of a call; resolves with `undefined` if the tools are not known. */
export type EditCheck = (toolCallId: string, args: JsonObject) => Promise<CheckedEdit | undefined>;
