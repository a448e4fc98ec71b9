import { isPlainObject, type JsonValue } from '../../../internal/json.ts';

/**
 * Adds the title that the Anthropic package requires in results that are sent back.
 *
 * The package (4.0.102) omits a missing title in a response and rejects a history without it.
 */
export function completeAnthropicResult(result: JsonValue): JsonValue {
  if (!Array.isArray(result)) return result;
  // `Array.isArray` widens readonly arrays to `any[]`.
  return (result as readonly JsonValue[]).map((found) =>
    isPlainObject(found) && found['type'] === 'web_search_result'
      ? { title: null, ...found }
      : found,
  ) as JsonValue; // the same JSON with one more member
}
