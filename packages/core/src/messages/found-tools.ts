import { isPlainObject, type JsonValue } from '../internal/json.ts';

/** The names of the tools that a search has found, by what it gave; what is odd about that counts for nothing. */
export function foundToolNames(given: JsonValue): string[] {
  return discoveredIn(given).flatMap((tool) =>
    isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
  );
}

/** The same from the metadata of its result, where old versions of Pydantic AI keep the names. */
export function foundInMetadata(metadata: JsonValue | undefined): string[] {
  return discoveredIn(metadata).filter((name) => typeof name === 'string');
}

function discoveredIn(given: JsonValue | undefined): readonly unknown[] {
  const found = isPlainObject(given) ? given['discovered_tools'] : undefined;
  return Array.isArray(found) ? found : [];
}
