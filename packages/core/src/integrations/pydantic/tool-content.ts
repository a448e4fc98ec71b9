import { readUserContent, Trail } from '../../messages/codec/index.ts';
import { isFileContent } from '../../messages/content.ts';
import { isPlainObject, type JsonObject, type JsonValue, defineOwn } from '../../internal/json.ts';
import { file } from './content.ts';
import { attempt } from './wire/attempt.ts';
import { freeJson } from './wire/free-json.ts';
import type { Wire } from './wire/wire.ts';

/**
 * What a tool gave back: any JSON, and files at any depth of it.
 *
 * An object that only looks like a file stays as it is, on both sides.
 */
export const toolContent: Wire<JsonValue> = {
  load: (value, trail) => mapObjects(freeJson.load(value, trail), trail, loadFile),
  dump: (value, trail) => mapObjects(value, trail, dumpFile),
};

const FILE_KINDS: ReadonlySet<unknown> = new Set([
  'image-url',
  'audio-url',
  'video-url',
  'document-url',
  'binary',
  'uploaded-file',
]);

const FILE_MEMBERS = ['url', 'media_type', 'file_id'];

function loadFile(object: JsonObject): JsonObject | undefined {
  if (!FILE_KINDS.has(object['kind'])) return undefined;
  if (!FILE_MEMBERS.some((name) => Object.hasOwn(object, name))) return undefined;
  const found = attempt(() => file.load(object, new Trail()));
  // A file is JSON; interfaces just do not say so.
  return found as unknown as JsonObject | undefined;
}

function dumpFile(object: JsonObject, trail: Trail): JsonObject | undefined {
  // The two types do not overlap, but the values do.
  const value: unknown = object;
  if (!isFileContent(value)) return undefined;
  if (attempt(() => readUserContent(value, new Trail())) === undefined) return undefined;
  const dumped = file.dump(value, trail);
  // What the reference would not take for a file stays what it is.
  if (attempt(() => file.load(dumped, new Trail())) === undefined) return undefined;
  return dumped as JsonObject;
}

/** A copy in which `change` has replaced the objects for which it has something else. */
function mapObjects(
  value: JsonValue,
  trail: Trail,
  change: (object: JsonObject, trail: Trail) => JsonObject | undefined,
): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  const changed = isPlainObject(value) ? change(value as JsonObject, trail) : undefined;
  if (changed !== undefined) return changed;
  const isList = Array.isArray(value);
  const members: Record<string, JsonValue> = {};
  const items: JsonValue[] = [];
  // Of a list, the keys are its indices.
  for (const [key, member] of Object.entries<JsonValue>(value)) {
    trail.enter(isList ? Number(key) : key);
    const mapped = mapObjects(member, trail, change);
    trail.leave();
    if (isList) items.push(mapped);
    else defineOwn(members, key, mapped);
  }
  return Object.freeze(isList ? items : members);
}

/** Whether there is a file of ours anywhere in a value. */
export function holdsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isFileContent(value) || Object.values(value).some(holdsFile);
}
