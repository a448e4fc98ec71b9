import type { JsonValue } from '../messages/json.ts';

/** A JSON Schema as it is sent to models. */
export interface JsonSchema {
  readonly [keyword: string]: JsonValue;
}
