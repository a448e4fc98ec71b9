import { UserError } from '../errors/user-errors.ts';
import type { CallDetails } from '../messages/call-details.ts';
import { isPlainObject, type JsonObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';

/** The arguments of a call that an approver is shown, as they are recorded. */
export type ShownArgs = Pick<CallDetails, 'validatedArgs' | 'inputOnly'>;

/** A validated value that cannot be shown to an approver. */
export interface UnshowableArgs {
  /** The path of the value, such as `args.when`. */
  readonly path: string;
  /** The kind of value, such as `a Date`. */
  readonly what: string;
  /** True if the value is a number that JSON cannot hold: `NaN` or `Infinity`. */
  readonly isNumber: boolean;
}

/** Returns the first value without a JSON form, or `undefined` if the arguments are plain JSON. */
export function unshowableArgs(
  { approversSee }: ToolDefinition,
  args: unknown,
): UnshowableArgs | undefined {
  const found = approversSee === 'input' ? undefined : findUnshowable(args);
  return found && { ...found, path: `args${found.path}` };
}

/** Throws if the arguments that an approver is shown have no JSON form. */
export function requireShowable(definition: ToolDefinition, args: unknown): void {
  const found = unshowableArgs(definition, args);
  if (found !== undefined) throw noJsonForm(definition, found);
}

/** Returns the arguments that an approver is shown, or `undefined` if they are those that were sent. */
export function shownArgs(
  definition: ToolDefinition,
  args: unknown,
  sent: JsonValue | undefined,
): ShownArgs | undefined {
  if (definition.approversSee === 'input') return { inputOnly: true };
  const isSent = sent !== undefined && isSameInOrder(args, sent);
  return isSent ? undefined : { validatedArgs: toFrozenJson(args, 'args') };
}

/** Compares members in their order, because a preview may depend on it. */
function isSameInOrder(one: unknown, sent: JsonValue): boolean {
  if (typeof one !== 'object' || typeof sent !== 'object' || one === null || sent === null) {
    return one === sent;
  }
  if (Array.isArray(one) !== Array.isArray(sent)) return false;
  // The keys of an object are those of its type.
  const keys = Object.keys(one) as (keyof typeof one)[];
  const sentKeys = Object.keys(sent) as (keyof typeof sent)[];
  let index = 0;
  for (const key of keys) {
    // JSON does not hold members that are `undefined`.
    if (one[key] === undefined) continue;
    if (key !== sentKeys[index]) return false;
    if (one[key] !== sent[key] && !isSameInOrder(one[key], sent[key])) return false;
    index += 1;
  }
  return index === sentKeys.length;
}

/** Returns the value that a tool receives for a recorded request, or `undefined` if it was not shown. */
export function recordedArgs(request: CallDetails, sent: JsonObject): JsonValue | undefined {
  return request.inputOnly ? undefined : (request.validatedArgs ?? sent);
}

/** Returns the error for arguments that an approver cannot be shown. */
export function noJsonForm({ name }: ToolDefinition, { path, what }: UnshowableArgs): UserError {
  return new UserError(
    `The validated arguments of tool \`${name}\` contain ${what} at \`${path}\`, which has no JSON form, so an ` +
      "approver cannot be shown the value that would execute. Set `approversSee: 'input'` on the tool to show " +
      'approvers the arguments as sent, or convert the value in `execute`.',
  );
}

/** The path of the result starts at `value`. */
function findUnshowable(value: unknown): UnshowableArgs | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path: '', what: `${value}`, isNumber: true };
    case 'object':
      break;
    default:
      return { path: '', what: `a ${typeof value}`, isNumber: false };
  }
  if (value === null) return undefined;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) {
    return { path: '', what: `a ${value.constructor?.name ?? 'object'}`, isNumber: false };
  }
  for (const key of Object.keys(value)) {
    // Plain objects and arrays have string keys.
    const member = (value as Readonly<Record<string, unknown>>)[key];
    const found = typeof member === 'string' ? undefined : findUnshowable(member);
    if (found !== undefined) {
      return { ...found, path: `${isList ? `[${key}]` : `.${key}`}${found.path}` };
    }
  }
  return undefined;
}
