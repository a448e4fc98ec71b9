import { type JsonObject, type JsonValue, UserError } from 'holdpoint';
import { isRecord, isThenable, kindOf } from '../model/check-keys.ts';
import { toJson } from '../model/json.ts';

/** A value that is nested deeper is probably circular. */
const MAX_DEPTH = 200;

/**
 * Validates JSON, and returns it as frozen data. Values of other types would be stored as something else, which
 * policies and approvers would see in their place. A member that is `undefined` is missing.
 */
export function checkJson(what: string, value: JsonValue): JsonValue {
  // Programs without types pass anything.
  const problem = problemOf(value, []);
  if (problem === undefined) return toJson(value);
  const { path, found } = problem;
  const where = path.length === 0 ? `it is ${found}` : `\`${path.join('.')}\` is ${found}`;
  const isPromise = found === kindOf(Promise.resolve());
  throw new UserError(
    `\`${what}\` is not JSON: ${where}. ${isPromise ? 'Did you forget `await`?' : 'Pass JSON.'}`,
  );
}

/** Validates a JSON object, and returns it as frozen data. */
export function checkJsonObject(what: string, value: JsonObject): JsonObject {
  if (!isRecord(value)) {
    const advice = isThenable(value) ? 'Did you forget `await`?' : 'Pass an object.';
    throw new UserError(`\`${what}\` is ${kindOf(value)}. ${advice}`);
  }
  // The JSON of an object is an object.
  return checkJson(what, value) as JsonObject;
}

interface Problem {
  readonly path: readonly string[];
  readonly found: string;
}

function problemOf(value: unknown, path: readonly string[]): Problem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  const isNumber = typeof value === 'number';
  const isNested = Array.isArray(value) || isRecord(value);
  if (isNumber || !isNested) return { path, found: isNumber ? `\`${value}\`` : kindOf(value) };
  if (path.length > MAX_DEPTH) return { path: path.slice(0, 1), found: 'circular, or too deep' };
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined && !Array.isArray(value)) continue;
    const problem = problemOf(member, [...path, name]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
