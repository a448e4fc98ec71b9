import type { JsonValue } from 'holdpoint';
import { toJsonText } from '../terminal/json-text.ts';

/** Prints JSON for programs. What a terminal would obey is escaped, as JSON can. */
export function printJson(value: object): void {
  // What JSON does not keep, nobody is told.
  const json: JsonValue = JSON.parse(JSON.stringify(value));
  console.log(toJsonText(json, 2));
}
