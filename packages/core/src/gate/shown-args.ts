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
  return approversSee === 'input' ? undefined : unshowable(args, 'args');
}

/** Returns the arguments that an approver is shown; throws if they have no JSON form. */
export function shownArgs(
  definition: ToolDefinition,
  args: unknown,
  sent: JsonValue | undefined,
): ShownArgs {
  if (definition.approversSee === 'input') return { inputOnly: true };
  const found = unshowable(args, 'args');
  if (found !== undefined) throw noJsonForm(definition, found);
  // As text: a preview may depend on the order of members, so another order is recorded as well.
  const isSent = sent !== undefined && JSON.stringify(args) === JSON.stringify(sent);
  return isSent ? {} : { validatedArgs: toFrozenJson(args, 'args') };
}

/** Returns the value that a tool receives for a recorded request, or `undefined` if it was not shown. */
export function recordedArgs(request: CallDetails, sent: JsonObject): JsonValue | undefined {
  return request.inputOnly ? undefined : (request.validatedArgs ?? sent);
}

function noJsonForm({ name }: ToolDefinition, { path, what }: UnshowableArgs): UserError {
  return new UserError(
    `The validated arguments of tool \`${name}\` contain ${what} at \`${path}\`, which has no JSON form, so an ` +
      "approver cannot be shown the value that would execute. Set `approversSee: 'input'` on the tool to show " +
      'approvers the arguments as sent, or convert the value in `execute`.',
  );
}

function unshowable(value: unknown, path: string): UnshowableArgs | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path, what: `${value}`, isNumber: true };
    case 'object':
      break;
    default:
      return { path, what: `a ${typeof value}`, isNumber: false };
  }
  if (value === null) return undefined;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) {
    return { path, what: `a ${value.constructor?.name ?? 'object'}`, isNumber: false };
  }
  for (const [key, member] of Object.entries(value)) {
    const found = unshowable(member, isList ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
