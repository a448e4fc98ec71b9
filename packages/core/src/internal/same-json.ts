import type { JsonObject, JsonValue } from './json.ts';

/** Returns whether two JSON values are equal; the order of members does not matter. */
export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item: JsonValue, index) => isSameJson(item, other[index] as JsonValue))
    );
  }
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  // Neither is a list, so both are objects.
  const first = one as JsonObject;
  const second = other as JsonObject;
  return keys.every(
    (key) =>
      Object.hasOwn(second, key) && isSameJson(first[key] as JsonValue, second[key] as JsonValue),
  );
}
