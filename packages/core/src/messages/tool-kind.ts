import { isPlainObject, type JsonObject, type JsonValue } from '../internal/json.ts';
import type { ToolPartKind } from './request-part.ts';
import type { ToolCallPart } from './response-part.ts';

/** The tool of a kind, and the form of its calls and results across providers. */
interface KindForm {
  readonly toolName: string;
  /** Returns the arguments without unknown members; `undefined` if they have another form. */
  readonly argsOf: (args: JsonObject) => JsonObject | undefined;
  readonly hasContent: (content: JsonValue) => boolean;
}

const FORMS: Readonly<Record<ToolPartKind, KindForm>> = {
  'tool-search': {
    toolName: 'search_tools',
    argsOf: ({ queries }) =>
      Array.isArray(queries) && queries.every((query) => typeof query === 'string')
        ? { queries }
        : undefined,
    hasContent: (content) =>
      isPlainObject(content) &&
      Array.isArray(content['discovered_tools']) &&
      content['discovered_tools'].every(
        (tool) => isPlainObject(tool) && typeof tool['name'] === 'string',
      ),
  },
  'capability-load': {
    toolName: 'load_capability',
    argsOf: ({ id }) => (typeof id === 'string' ? { id } : undefined),
    hasContent: isPlainObject,
  },
};

/** Returns a call with the kind of its tool. Without the kind if the arguments have another form. */
export function withToolKind(part: ToolCallPart, toolKind: ToolPartKind): ToolCallPart {
  const { toolName, argsOf } = FORMS[toolKind];
  const args = isPlainObject(part.args) ? argsOf(part.args as JsonObject) : part.args;
  if (part.toolName !== toolName || args === undefined) return part;
  return Object.freeze({ ...part, args, toolKind });
}

/** Returns the kind of the result of a call: that of the call, if the content has the form of the kind. */
export function kindOfResult(
  { toolKind }: Pick<ToolCallPart, 'toolKind'>,
  content: JsonValue,
): ToolPartKind | undefined {
  return toolKind !== undefined && FORMS[toolKind].hasContent(content) ? toolKind : undefined;
}
