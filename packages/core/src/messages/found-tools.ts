import { isPlainObject, type JsonValue } from '../internal/json.ts';

/** Returns the names of the tools in the result of a search; malformed entries are ignored. */
export function foundToolNames(result: JsonValue): string[] {
  return discoveredIn(result).flatMap((tool) =>
    isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
  );
}

/** Returns the names of the tools in the metadata of a search, in which old versions of Pydantic AI store them. */
export function foundInMetadata(metadata: JsonValue | undefined): string[] {
  return discoveredIn(metadata).filter((name) => typeof name === 'string');
}

function discoveredIn(value: JsonValue | undefined): readonly unknown[] {
  const found = isPlainObject(value) ? value['discovered_tools'] : undefined;
  return Array.isArray(found) ? found : [];
}
