import type { JsonValue } from '../internal/json.ts';

/** A JSON Schema that is sent to models. */
export interface JsonSchema {
  readonly [keyword: string]: JsonValue;
}

/** Schemas whose defaults a schema library fills in when this process validates arguments. */
const defaultsApplied = new WeakSet<JsonSchema>();

/** Records that validation in this process fills in the defaults of a schema. */
export function markDefaultsApplied(schema: JsonSchema): void {
  defaultsApplied.add(schema);
}

/** Returns true if the validated arguments already contain the defaults of a schema. */
export function hasDefaultsApplied(schema: JsonSchema): boolean {
  return defaultsApplied.has(schema);
}
