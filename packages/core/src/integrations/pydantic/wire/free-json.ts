import { JsonReader, readLeaf } from '../../../messages/codec/read-json.ts';
import type { JsonObject, JsonValue } from '../../../internal/json.ts';
import { same, type Wire } from './wire.ts';

/** Takes big integers as they are; the type does not say so, see {@link freeJson}. */
const reader = new JsonReader((value, trail) =>
  typeof value === 'bigint' ? (value as unknown as JsonValue) : readLeaf(value, trail),
);

/**
 * JSON of any shape, taken as it is.
 *
 * Where a text had an integer that a number cannot hold, the value has a `bigint`, though its type
 * does not say so: nothing but this format knows of them.
 */
export const freeJson: Wire<JsonValue> = same(reader.value);

/** A JSON object of any shape; see {@link freeJson}. */
export const freeObject: Wire<JsonObject> = same(reader.object);
