import type { RunContext } from '../context/run-context.ts';
import { passInstead } from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../internal/json.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';

/**
 * A selection of tools:
 *
 * - `'all'`: every tool
 * - names: the tools with these names
 * - an object: the tools whose metadata contains all its members, nested objects included
 * - a function: the tools for which it returns `true`
 *
 * All forms except the function are plain data.
 */
export type ToolSelector<Deps = unknown> =
  | 'all'
  | readonly string[]
  | JsonObject
  | ((ctx: RunContext<Deps>, definition: ToolDefinition) => boolean | Promise<boolean>);

/** Returns true if a selector selects a tool. */
export function matchesToolSelector<Deps>(
  selector: ToolSelector<Deps>,
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
): boolean | Promise<boolean> {
  if (selector === 'all') return true;
  if (typeof selector === 'function') return callSelector(selector, ctx, definition);
  if (isNameList(selector)) return selector.includes(definition.name);
  return includes(definition.metadata ?? {}, selector);
}

/** Throws a `UserError` unless this is a selector. `what` names it. */
export function requireToolSelector(what: string, selector: unknown): void {
  const isList = Array.isArray(selector) && selector.every((name) => typeof name === 'string');
  if (selector === 'all' || isList || typeof selector === 'function' || isPlainObject(selector)) {
    return;
  }
  const forms = "`'all'`, a list of names, an object with metadata, or a function";
  throw new UserError(`${what} is ${showValue(selector)}. ${passInstead(selector, forms)}`);
}

/** Calls a selector function. Only `true` selects: any other truthy value is a mistake. */
async function callSelector<Deps>(
  selector: Extract<ToolSelector<Deps>, Function>,
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
): Promise<boolean> {
  const selected: unknown = await selector(ctx, definition);
  if (typeof selected === 'boolean') return selected;
  throw new UserError(
    `A tool selector returned ${showValue(selected)} for tool \`${definition.name}\`. Return \`true\` or \`false\`.`,
  );
}

function isNameList(selector: readonly string[] | JsonObject): selector is readonly string[] {
  return Array.isArray(selector);
}

/** Returns true if a value contains all members of another one. */
function includes(value: JsonValue | undefined, part: JsonValue): boolean {
  if (!isPlainObject(part)) return isEqualJson(value, part);
  if (!isPlainObject(value)) return false;
  return Object.entries(part).every(
    ([key, member]) =>
      // Members of JSON are JSON.
      Object.hasOwn(value, key) && includes(value[key] as JsonValue, member as JsonValue),
  );
}

/** Compares two values. The order of members does not matter. */
function isEqualJson(a: JsonValue | undefined, b: JsonValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqualJson(item, b[index]));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return a === b;
  const keys = Object.keys(b);
  return (
    Object.keys(a).length === keys.length &&
    // Members of JSON are JSON.
    keys.every(
      (key) => Object.hasOwn(a, key) && isEqualJson(a[key] as JsonValue, b[key] as JsonValue),
    )
  );
}
