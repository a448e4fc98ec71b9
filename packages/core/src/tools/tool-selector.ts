import type { RunContext } from '../context/run-context.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../messages/json.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';

/**
 * Picks tools:
 *
 * - `'all'`: every tool
 * - names: the tools with these names
 * - an object: the tools whose metadata has all that is in it, nested objects included
 * - a function: those for which it says so
 *
 * All but the function are plain data.
 */
export type ToolSelector<Deps = unknown> =
  | 'all'
  | readonly string[]
  | JsonObject
  | ((ctx: RunContext<Deps>, definition: ToolDefinition) => boolean | Promise<boolean>);

/** Whether a selector picks a tool. */
export function matchesToolSelector<Deps>(
  selector: ToolSelector<Deps>,
  ctx: RunContext<Deps>,
  definition: ToolDefinition,
): boolean | Promise<boolean> {
  if (selector === 'all') return true;
  if (typeof selector === 'function') return selector(ctx, definition);
  if (isNames(selector)) return selector.includes(definition.name);
  return includes(definition.metadata ?? {}, selector);
}

function isNames(selector: readonly string[] | JsonObject): selector is readonly string[] {
  return Array.isArray(selector);
}

/** Whether a value has all that is in another one. */
function includes(value: JsonValue | undefined, part: JsonValue): boolean {
  if (!isPlainObject(part)) return isSame(value, part);
  if (!isPlainObject(value)) return false;
  return Object.entries(part).every(
    ([key, member]) =>
      // Metadata is JSON, so its members are too.
      Object.hasOwn(value, key) && includes(value[key] as JsonValue, member as JsonValue),
  );
}

/** Whether two values are the same, whatever the order of their members. */
function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return a === b;
  const keys = Object.keys(b);
  return (
    Object.keys(a).length === keys.length &&
    // Both are JSON, so their members are too.
    keys.every((key) => Object.hasOwn(a, key) && isSame(a[key] as JsonValue, b[key] as JsonValue))
  );
}
