import {
  booleanFormat,
  type Format,
  jsonFormat,
  jsonObjectFormat,
  numberFormat,
  objectOf,
  optional,
  same,
  stringFormat,
} from './codec/index.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';

/** What is known about a call that waits, beyond the call itself. Plain data; it travels in the history. */
export interface CallDetails {
  /** What is to run, where that is not what the model sent: a hook or an earlier approval has changed it. */
  readonly args?: JsonObject | undefined;
  /**
   * The validated arguments that the approver is shown and the tool receives, in their JSON form; absent if
   * they equal the arguments as sent.
   */
  readonly validatedArgs?: JsonValue | undefined;
  /** True if the approver is shown the arguments as sent only; see `approversSee` of a tool. */
  readonly inputOnly?: true | undefined;
  /** What will happen, in the words of the tool's code: text, a diff, a table. */
  readonly preview?: JsonValue | undefined;
  /** The digest of the call, where one was asked for: answers that carry it hold for nothing else. */
  readonly digest?: string | undefined;
  /** The version of the tool when the call came to wait. */
  readonly version?: string | undefined;
  /** The hash of the tool's schema when the call came to wait, where a digest was asked for. */
  readonly schemaHash?: string | undefined;
  /** It was approved once, and nobody knows whether it has run. */
  readonly inDoubt?: CallInDoubt | undefined;
  /** It was approved once, but the tool is not the one that it was approved for. */
  readonly drifted?: boolean | undefined;
  /** The same call was denied before in this conversation. */
  readonly deniedBefore?: boolean | undefined;
}

/** Nothing is known about a call beyond itself. */
export const NO_DETAILS: CallDetails = Object.freeze({});

/** A call of which nobody knows whether it has run. */
export interface CallInDoubt {
  /** The attempt that is in doubt. To approve the call is to say that it may run again. */
  readonly attempt: string;
  /** Why nobody knows. */
  readonly reason: string;
  /** Since when, in milliseconds since 1970. */
  readonly since: number;
  /** The `ctx.idempotencyKey` of the attempt, to look it up where it would have had its effect. */
  readonly idempotencyKey?: string | undefined;
}

const trueFormat = same<true>((value, path) =>
  value === true ? value : path.mismatch('true', value),
);

/** The details of a call. */
export const callDetailsFormat: Format<CallDetails> = objectOf<CallDetails>({
  args: optional(jsonObjectFormat),
  validatedArgs: optional(jsonFormat),
  inputOnly: optional(trueFormat),
  preview: optional(jsonFormat),
  digest: optional(stringFormat),
  version: optional(stringFormat),
  schemaHash: optional(stringFormat),
  inDoubt: optional(
    objectOf<CallInDoubt>({
      attempt: stringFormat,
      reason: stringFormat,
      since: numberFormat,
      idempotencyKey: optional(stringFormat),
    }),
  ),
  drifted: optional(booleanFormat),
  deniedBefore: optional(booleanFormat),
});
