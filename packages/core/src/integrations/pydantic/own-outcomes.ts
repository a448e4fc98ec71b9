import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import type { ToolOutcome } from '../../messages/request-part.ts';
import type { Variant } from './wire/union.ts';

/** The result of a tool call, whoever ran the tool. */
interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly metadata?: JsonValue | undefined;
}

const OWN: ReadonlySet<unknown> = new Set<ToolOutcome>(['expired', 'superseded']);

/**
 * A result whose outcome the format may not know: it is written as `interrupted`, with ours in its
 * metadata, from where it is read again.
 */
export function withOwnOutcomes<T extends ToolResult>(variant: Variant<T>): Variant<T> {
  return {
    ...variant,
    load(value, trail) {
      const loaded = variant.load(value, trail);
      return loaded.outcome === 'interrupted' ? withOwnOutcome(loaded) : loaded;
    },
    dump: (value, trail) =>
      variant.dump(OWN.has(value?.outcome) ? withKnownOutcome(value) : value, trail),
  };
}

function withKnownOutcome<T extends ToolResult>(part: T): T {
  const { outcome, metadata } = part;
  return { ...part, outcome: 'interrupted', metadata: noted(outcome, metadata) };
}

/** Metadata with our outcome in it; what cannot have it beside itself is put into it. */
function noted(outcome: ToolOutcome, metadata: JsonValue | undefined): JsonValue {
  if (metadata === undefined || metadata === null) return { holdpoint: { outcome } };
  const names = isPlainObject(metadata) ? Object.keys(metadata) : [];
  if (names.length === 0 || names.includes('holdpoint'))
    return { holdpoint: { outcome, metadata } };
  // It has members, so it is an object.
  return { ...(metadata as JsonObject), holdpoint: { outcome } };
}

function withOwnOutcome<T extends ToolResult>(part: T): T {
  const { metadata, ...result } = part;
  const note = isPlainObject(metadata) ? metadata['holdpoint'] : undefined;
  if (!isPlainObject(note) || !OWN.has(note['outcome'])) return part;
  const { holdpoint: _, ...beside } = metadata as Record<string, JsonValue>;
  const own = note['metadata'] ?? (Object.keys(beside).length > 0 ? beside : undefined);
  // What was taken apart is put together again, with one of the outcomes that there are.
  return Object.freeze({
    ...result,
    outcome: note['outcome'],
    ...(own !== undefined && { metadata: own }),
  }) as unknown as T;
}
