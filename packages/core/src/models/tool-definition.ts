import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ToolPartKind } from '../messages/request-part.ts';

/**
 * The treatment of calls to a tool.
 *
 * - `function`: the call executes in the run, and the model receives the result
 * - `output`: the arguments are the output of the run
 * - `external`: the result is produced outside the run
 * - `unapproved`: the call executes after an approver approves it
 */
export type ToolKind = 'function' | 'output' | 'external' | 'unapproved';

/** The treatment of a call in doubt: an approver decides, it executes again, or the model receives a failure. */
export type OnInDoubt = 'ask' | 'retry' | 'fail';

/** A tool in one step of a run: the data that the model receives, and the treatment of its calls. */
export interface ToolDefinition {
  readonly name: string;
  readonly parametersJsonSchema: JsonSchema;
  readonly description?: string | undefined;
  /** The key that wraps the value if the schema of the application is not an object. */
  readonly outerKey?: string | undefined;
  /** True if the provider must enforce the schema. If missing, the provider decides. */
  readonly strict?: boolean | undefined;
  /** True if a call executes alone, after all earlier calls and before all later ones. */
  readonly sequential: boolean;
  readonly kind: ToolKind;
  /** Data for the application. The model does not see it. */
  readonly metadata?: JsonObject | undefined;
  /** The time limit of a call in milliseconds. */
  readonly timeout?: number | undefined;
  /** True if the model does not see the tool until a search or another tool surfaces it. */
  readonly deferLoading: boolean;
  /** The native tool that replaces this one if the model supports it. */
  readonly unlessNative?: string | undefined;
  /** The native tool that manages this one if the model supports it. */
  readonly withNative?: string | undefined;
  /** The kind of the parts of this tool that is the same for all providers. */
  readonly toolKind?: ToolPartKind | undefined;
  readonly returnSchema?: JsonSchema | undefined;
  /** True if the model receives the return schema. */
  readonly includeReturnSchema?: boolean | undefined;
  /** True if a call executes at most once even without an approval. */
  readonly once?: boolean | undefined;
  /** True if the tool changes nothing, so that a call can execute again. */
  readonly readOnly?: boolean | undefined;
  /** True if a second execution of a call has no further effect. */
  readonly idempotent?: boolean | undefined;
  /** The treatment of a call in doubt. */
  readonly onInDoubt?: OnInDoubt | undefined;
  /** The version of the tool. It changes if the tool's effect for the same arguments changes. */
  readonly version?: string | undefined;
  /** Set if approvers are shown the arguments as sent, because the validated ones have no JSON form. */
  readonly approversSee?: 'input' | undefined;
}

/** Returns true if a call can execute again without further effect, according to the tool's author. */
export function isSafeToRepeat({ readOnly, idempotent }: ToolDefinition): boolean {
  return readOnly === true || idempotent === true;
}

/** Returns true if every call to a tool is deferred. */
export function isAlwaysDeferred(definition: ToolDefinition): boolean {
  return definition.kind === 'external' || definition.kind === 'unapproved';
}

/** A JSON Schema that is sent to models. */
export interface JsonSchema {
  readonly [keyword: string]: JsonValue;
}

/** Schemas whose defaults a schema library fills in when this process validates arguments. */
const defaultsApplied = new WeakSet<JsonSchema>();

/** Records that validation in this process fills in the defaults of a schema. */
export function markDefaultsApplied(schema: JsonSchema): void {
  defaultsApplied.add(schema);
}

/** Returns true if the validated arguments already contain the defaults of a schema. */
export function hasDefaultsApplied(schema: JsonSchema): boolean {
  return defaultsApplied.has(schema);
}
