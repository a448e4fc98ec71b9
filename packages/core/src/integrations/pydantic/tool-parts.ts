import { nullable, optional } from '../../messages/codec/field.ts';
import {
  argsOf,
  type Format,
  listOf,
  type Read,
  stringFormat,
} from '../../messages/codec/format.ts';
import { quote } from '../../messages/codec/json-path.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';
import type { ToolOutcome } from '../../messages/request-part.ts';
import { pydanticObjectOf } from './values.ts';

/** The rule of Pydantic AI for the parts of one tool kind. */
interface ToolKindRule {
  /** The name that the tool must have. */
  readonly toolName: string;
  /** The member whose shape is fixed. */
  readonly member: string;
  readonly read: Read<unknown>;
}

const searchArgs = argsOf(
  pydanticObjectOf<{ queries: readonly string[] }>({ queries: listOf(stringFormat) }),
);
const loadArgs = argsOf(pydanticObjectOf<{ id: string }>({ id: stringFormat }));

const searchContent = pydanticObjectOf<{
  discovered_tools: readonly { name: string }[];
  message?: string | undefined;
}>({
  discovered_tools: listOf(pydanticObjectOf<{ name: string }>({ name: stringFormat })),
  message: optional(stringFormat),
});
const loadContent = pydanticObjectOf<{ instructions?: string | undefined }>({
  instructions: nullable(stringFormat),
});

export const CALL_KINDS: Readonly<Record<string, ToolKindRule>> = {
  'tool-search': { toolName: 'search_tools', member: 'args', read: searchArgs.read },
  'capability-load': { toolName: 'load_capability', member: 'args', read: loadArgs.read },
};

export const NATIVE_CALL_KINDS: Readonly<Record<string, ToolKindRule>> = {
  'tool-search': { toolName: 'tool_search', member: 'args', read: searchArgs.read },
};

export const RETURN_KINDS: Readonly<Record<string, ToolKindRule>> = {
  'tool-search': { toolName: 'search_tools', member: 'content', read: searchContent.read },
  'capability-load': { toolName: 'load_capability', member: 'content', read: loadContent.read },
};

export const NATIVE_RETURN_KINDS: Readonly<Record<string, ToolKindRule>> = {
  'tool-search': { toolName: 'tool_search', member: 'content', read: searchContent.read },
};

/** Applies the rule of a part's tool kind, if it has one, when the part is read. */
export function withToolKinds<T>(
  format: Format<T>,
  rules: Readonly<Record<string, ToolKindRule>>,
): Format<T> {
  return {
    write: format.write,
    read(value, path) {
      const rule = ruleFor(value, rules);
      if (!isPlainObject(value) || rule === undefined) return format.read(value, path);
      const { toolName, member, read } = rule;
      const { tool_name: name = toolName } = value;
      if (name !== toolName) return path.at('tool_name').mismatchedText(quote(toolName), name);
      const narrowed: Record<string, unknown> = { ...value, tool_name: toolName };
      if (value[member] !== undefined) narrowed[member] = read(value[member], path.at(member));
      return format.read(narrowed, path);
    },
  };
}

function ruleFor(
  value: unknown,
  rules: Readonly<Record<string, ToolKindRule>>,
): ToolKindRule | undefined {
  const kind = isPlainObject(value) ? value['tool_kind'] : undefined;
  return typeof kind === 'string' && Object.hasOwn(rules, kind) ? rules[kind] : undefined;
}

/** A part with the result of a tool call. */
interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly metadata?: JsonValue | undefined;
}

/** The outcomes that Pydantic AI does not have. */
const HOLDPOINT_OUTCOMES: ReadonlySet<unknown> = new Set<ToolOutcome>(['expired', 'superseded']);

/**
 * Writes an outcome that Pydantic AI does not have as `interrupted`, and stores it in the metadata.
 */
export function withHoldpointOutcomes<T extends ToolResult>(format: Format<T>): Format<T> {
  return {
    read(value, path) {
      const part = format.read(value, path);
      return part.outcome === 'interrupted' ? restoreOutcome(part) : part;
    },
    write: (part, path) =>
      format.write(HOLDPOINT_OUTCOMES.has(part.outcome) ? replaceOutcome(part) : part, path),
  };
}

function replaceOutcome<T extends ToolResult>(part: T): T {
  const { outcome, metadata } = part;
  return { ...part, outcome: 'interrupted', metadata: metadataWith(outcome, metadata) };
}

/** Adds the outcome to metadata. Metadata that cannot have another member is nested in the added one. */
function metadataWith(outcome: ToolOutcome, metadata: JsonValue | undefined): JsonValue {
  if (metadata === undefined || metadata === null) return { holdpoint: { outcome } };
  const names = isPlainObject(metadata) ? Object.keys(metadata) : [];
  if (names.length === 0 || names.includes('holdpoint')) {
    return { holdpoint: { outcome, metadata } };
  }
  // It has named members, so it is an object.
  return { ...(metadata as JsonObject), holdpoint: { outcome } };
}

function restoreOutcome<T extends ToolResult>(part: T): T {
  const { metadata, ...result } = part;
  const added = isPlainObject(metadata) ? metadata['holdpoint'] : undefined;
  if (!isPlainObject(added) || !HOLDPOINT_OUTCOMES.has(added['outcome'])) return part;
  // The member `holdpoint` was found in it, so it is an object.
  const { holdpoint: _, ...others } = metadata as Record<string, JsonValue>;
  const restored = added['metadata'] ?? (Object.keys(others).length > 0 ? others : undefined);
  // The part has the same members as before, with one of the known outcomes.
  return Object.freeze({
    ...result,
    outcome: added['outcome'],
    ...(restored !== undefined && { metadata: restored }),
  }) as unknown as T;
}
