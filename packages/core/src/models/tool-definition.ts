import type { JsonObject } from '../internal/json.ts';
import type { ToolPartKind } from '../messages/request-part.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * How a call to a tool is treated.
 *
 * - `function`: executed in the run, its result goes back to the model
 * - `output`: its arguments are the run's output
 * - `external`: its result comes from somewhere else
 * - `unapproved`: somebody has to approve the call first
 */
export type ToolKind = 'function' | 'output' | 'external' | 'unapproved';

/** What becomes of a call of which nobody knows whether it has run. */
export type OnInDoubt = 'ask' | 'retry' | 'fail';

/** What is known about a tool in one step of a run: what the model is offered, and how calls to it are treated. */
export interface ToolDefinition {
  readonly name: string;
  readonly parametersJsonSchema: JsonSchema;
  readonly description?: string | undefined;
  /** Where the schema is not an object: the key under which its value is wrapped. */
  readonly outerKey?: string | undefined;
  /** Whether the provider must hold the model to the schema; absent: the provider decides. */
  readonly strict?: boolean | undefined;
  /** Whether calls to this tool run alone, after the calls before them and before those after them. */
  readonly sequential: boolean;
  readonly kind: ToolKind;
  /** For the application; not sent to the model. */
  readonly metadata?: JsonObject | undefined;
  /** How long a call may take, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Whether the tool is hidden until something surfaces it. */
  readonly deferLoading: boolean;
  /** The provider tool that makes this one unnecessary where it is supported. */
  readonly unlessNative?: string | undefined;
  /** The provider tool that manages this one where it is supported. */
  readonly withNative?: string | undefined;
  /** Marks parts of this tool as having a meaning across providers. */
  readonly toolKind?: ToolPartKind | undefined;
  readonly returnSchema?: JsonSchema | undefined;
  /** Whether the model is told the return schema. */
  readonly includeReturnSchema?: boolean | undefined;
  /** Whether a call runs at most once although nobody has to approve it. */
  readonly once?: boolean | undefined;
  /** Whether the tool only looks: running a call again does no harm. */
  readonly readOnly?: boolean | undefined;
  /** Whether running a call a second time changes nothing more: it does no harm. */
  readonly idempotent?: boolean | undefined;
  /** What becomes of a call of which nobody knows whether it has run. */
  readonly onInDoubt?: OnInDoubt | undefined;
  /** Changes whenever what the tool does with the same arguments changes. */
  readonly version?: string | undefined;
  /** Set if approvers are shown the arguments as sent, because the validated ones have no JSON form. */
  readonly approversSee?: 'input' | undefined;
}

/** Whether a tool's author says that running a call of it again does no harm. */
export function isSafeToRepeat({ readOnly, idempotent }: ToolDefinition): boolean {
  return readOnly === true || idempotent === true;
}

/** Whether calls to a tool are always deferred. */
export function isAlwaysDeferred(definition: ToolDefinition): boolean {
  return definition.kind === 'external' || definition.kind === 'unapproved';
}
