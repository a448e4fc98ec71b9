import type { Read } from '../../messages/codec/read.ts';
import { quote } from '../../messages/codec/trail.ts';
import { isPlainObject } from '../../internal/json.ts';
import { nullable, objectOf, omitted, required } from './wire/object.ts';
import type { Variant } from './wire/union.ts';
import { listOf, text, textOr, type Wire } from './wire/wire.ts';

/** What the format says about the parts of one tool kind. */
interface KindRule {
  /** The name that the tool must have. */
  readonly toolName: string;
  /** The member whose shape is fixed, and that shape. */
  readonly member: string;
  readonly shape: Read<unknown>;
}

const searchArgs = objectOf<{ queries: readonly string[] }>({ queries: required(listOf(text)) });
const searchContent = objectOf<{
  discovered_tools: readonly { name: string }[];
  message?: string | undefined;
}>({
  discovered_tools: required(listOf(objectOf<{ name: string }>({ name: required(text) }))),
  message: omitted(text),
});
const loadArgs = objectOf<{ id: string }>({ id: required(text) });
const loadContent = objectOf<{ instructions?: string | undefined }>({
  instructions: nullable(text),
});

function argsOf<T>(shape: Wire<T>): Read<unknown> {
  const some = textOr(shape, 'an object, a string or null');
  return (value, trail) => (value === null ? null : some.load(value, trail));
}

export const CALL_KINDS: Readonly<Record<string, KindRule>> = {
  'tool-search': { toolName: 'search_tools', member: 'args', shape: argsOf(searchArgs) },
  'capability-load': { toolName: 'load_capability', member: 'args', shape: argsOf(loadArgs) },
};

export const NATIVE_CALL_KINDS: Readonly<Record<string, KindRule>> = {
  'tool-search': { toolName: 'tool_search', member: 'args', shape: argsOf(searchArgs) },
};

export const RETURN_KINDS: Readonly<Record<string, KindRule>> = {
  'tool-search': { toolName: 'search_tools', member: 'content', shape: searchContent.load },
  'capability-load': { toolName: 'load_capability', member: 'content', shape: loadContent.load },
};

export const NATIVE_RETURN_KINDS: Readonly<Record<string, KindRule>> = {
  'tool-search': { toolName: 'tool_search', member: 'content', shape: searchContent.load },
};

/** A part whose name and shape follow from its tool kind, where it has one. */
export function byToolKind<T>(
  variant: Variant<T>,
  rules: Readonly<Record<string, KindRule>>,
): Variant<T> {
  return {
    ...variant,
    load(value, trail) {
      if (!isPlainObject(value)) return variant.load(value, trail);
      const kind = value['tool_kind'];
      const rule = typeof kind === 'string' && Object.hasOwn(rules, kind) ? rules[kind] : undefined;
      if (rule === undefined) return variant.load(value, trail);
      const { toolName, member, shape } = rule;
      const { tool_name: name = toolName } = value;
      if (name !== toolName) {
        trail.enter('tool_name');
        return trail.mismatchedText(quote(toolName), name);
      }
      const narrowed: Record<string, unknown> = { ...value, tool_name: toolName };
      if (value[member] !== undefined) {
        trail.enter(member);
        narrowed[member] = shape(value[member], trail);
        trail.leave();
      }
      return variant.load(narrowed, trail);
    },
  };
}
