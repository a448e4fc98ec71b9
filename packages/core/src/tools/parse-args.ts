import { messageOf } from '../errors/thrown.ts';
import type { JsonObject } from '../messages/json.ts';
import { MAX_DEPTH } from '../messages/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';

/** The arguments of a call as a value, or what is wrong with them. Nothing stands for no arguments. */
export function parseArgs(
  args: JsonObject | string | null,
): { ok: true; value: JsonObject } | { ok: false; issues: readonly ValidationIssue[] } {
  if (args === null || args === '') return { ok: true, value: {} };
  if (typeof args !== 'string') return { ok: true, value: args };
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch (error) {
    const reason = messageOf(error);
    return broken(args, `The arguments are not valid JSON: ${reason}`);
  }
  if (value === null) return { ok: true, value: {} };
  if (isTooDeep(args)) {
    return broken(args, `The arguments are nested deeper than ${MAX_DEPTH} levels; flatten them.`);
  }
  // JSON.parse gives JSON: what is no list is plain.
  return typeof value === 'object' && !Array.isArray(value)
    ? { ok: true, value: value as JsonObject }
    : broken(args, 'The arguments must be a JSON object with the parameters by name.');
}

/** Whether brackets lie within each other beyond the limit. Short texts cannot be. */
function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === '}' || character === ']') {
      depth -= 1;
    }
  }
  return false;
}

function broken(input: string, message: string): { ok: false; issues: readonly ValidationIssue[] } {
  const issue: ValidationIssue = Object.freeze({
    path: Object.freeze([]),
    message,
    input,
  });
  return { ok: false, issues: Object.freeze([issue]) };
}
