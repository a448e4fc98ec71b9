import type { ToolDefinition } from 'holdpoint';
import type { ToolSelector } from 'holdpoint/tools';
import type { ToolsPrepare } from 'holdpoint/toolsets';
import type { EditSpec, FilterSpec } from './scenario.ts';

/** Builds the filter of a `filtered` toolset. */
export function buildFilter(spec: FilterSpec): ToolSelector {
  const { allow, deny, deny_from_step: step, names } = spec;
  if (allow) return allow;
  if (deny) return (_ctx, { name }) => !deny.includes(name);
  if (typeof step === 'number' && names)
    return ({ runStep }, { name }) => runStep < step || !names.includes(name);
  throw new Error(`The replayer cannot build the filter ${JSON.stringify(spec)}.`);
}

/** Builds a prepare function from the edits of a scenario. */
export function buildEdit(spec: EditSpec): ToolsPrepare {
  if (!isSupported(spec))
    throw new Error(`The replayer cannot apply the edit ${JSON.stringify(spec)}.`);
  return ({ runStep }, definitions) => {
    // A prepare function in plain JavaScript can return `undefined`.
    if (spec.return_none) return undefined as unknown as ToolDefinition[];
    const kept = definitions.filter(({ name }) => !isDropped(spec, name, runStep));
    return [...kept.map((one) => edited(spec, one)), ...(spec.add ?? []).map(newTool)];
  };
}

/** The parts of an edit. The vectors use only some of them. */
const LISTS = ['drop', 'names', 'add'];
const OTHERS = ['drop_from_step', 'kind', 'describe', 'rename', 'return_none'];

function isSupported(spec: EditSpec): boolean {
  return Object.entries(spec).every(([key, value]: [string, unknown]) =>
    LISTS.includes(key) ? value === null || Array.isArray(value) : OTHERS.includes(key),
  );
}

function isDropped({ drop, names, ...spec }: EditSpec, name: string, runStep: number): boolean {
  const from = spec.drop_from_step ?? undefined;
  if (from === undefined) return drop?.includes(name) ?? false;
  if (typeof from === 'number') {
    return runStep >= from && ((names ?? drop)?.includes(name) ?? true);
  }
  const step = Object.hasOwn(from, name) ? from[name] : undefined;
  return drop?.includes(name) || (step !== undefined && runStep >= step);
}

function edited(spec: EditSpec, definition: ToolDefinition): ToolDefinition {
  const { name } = definition;
  return {
    ...definition,
    name: valueFor(name, spec.rename) ?? name,
    kind: valueFor(name, spec.kind) ?? definition.kind,
    description: valueFor(name, spec.describe) ?? definition.description,
  };
}

/** Returns the value that an edit sets for a tool, by its name or for all tools. */
function valueFor<Value extends string>(
  name: string,
  values: Value | Readonly<Record<string, Value>> | null | undefined,
): Value | undefined {
  if (typeof values !== 'object' || values === null) return values ?? undefined;
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Creates a tool that has only a name. */
export function newTool(name: string): ToolDefinition {
  return {
    name,
    parametersJsonSchema: { type: 'object', properties: {} },
    kind: 'function',
    sequential: false,
    deferLoading: false,
  };
}
