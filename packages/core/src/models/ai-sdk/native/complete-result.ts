import { isPlainObject, type JsonValue } from '../../../internal/json.ts';

/**
 * A result of a native tool as the client of Anthropic takes it back.
 *
 * It leaves the title of a page out where there is none, and then insists on it (4.0.102): without
 * this, one page without a title would end the conversation.
 */
export function completeAnthropicResult(result: JsonValue): JsonValue {
  if (!Array.isArray(result)) return result;
  // `isArray` widens readonly arrays to `any[]`.
  return (result as readonly JsonValue[]).map((found) =>
    isPlainObject(found) && found['type'] === 'web_search_result'
      ? { title: null, ...found }
      : found,
  ) as JsonValue; // the same JSON with one more member
}
