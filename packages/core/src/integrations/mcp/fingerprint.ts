import { sha256 } from '../../internal/sha-256.ts';
import { isPlainObject, type JsonValue } from '../../internal/json.ts';

/** A short text that is the same for the same value, whatever the order of members, and for no other. */
export async function fingerprint(value: JsonValue): Promise<string> {
  const digest = await sha256(JSON.stringify(sorted(['holdpoint/mcp/1', value])));
  return `mcp-${digest.slice(0, 40)}`;
}

/** Objects become lists of their members, so that no name is special, by name. */
function sorted(value: JsonValue): JsonValue {
  // `isArray` widens readonly arrays to `any[]`.
  if (Array.isArray(value)) return ['list', ...(value as readonly JsonValue[]).map(sorted)];
  if (!isPlainObject(value)) return value;
  const names = Object.keys(value).toSorted();
  // JSON, so its members are too.
  return ['object', ...names.map((name) => [name, sorted(value[name] as JsonValue)])];
}
