import { UserError } from '../../../errors/user-errors.ts';
import type { NativeTool } from '../../native-tool.ts';
import type { ProviderOptions } from '../prompt.ts';
import {
  nativeFormOf,
  type ListOption,
  type NativeDialect,
  type NativeForm,
  type ProviderToolItem,
} from './native-dialect.ts';

/** The native tools of a call to the AI SDK. */
export interface OfferedNatives {
  readonly tools: readonly ProviderToolItem[];
  /** Names of functions that the provider describes, so that their definitions are not sent. */
  readonly described: ReadonlySet<string>;
  /** Native tools that are options of the call. */
  readonly options: readonly ListOption[];
  /** The options of functions that only a search finds. `undefined` without a search. */
  readonly deferred: ProviderOptions | undefined;
}

const NO_NATIVE_TOOLS: OfferedNatives = {
  tools: [],
  described: new Set(),
  options: [],
  deferred: undefined,
};

/** Converts native tools to the format of the provider's AI SDK package. */
export function toProviderTools(
  natives: readonly NativeTool[],
  dialect: NativeDialect,
  functionNames: ReadonlySet<string>,
): OfferedNatives {
  if (natives.length === 0) return NO_NATIVE_TOOLS;
  const tools: ProviderToolItem[] = [];
  const described = new Set<string>();
  const options: ListOption[] = [];
  for (const native of natives) {
    if (native.kind === 'provider') {
      const { id, name, args = {} } = native;
      tools.push({ type: 'provider', id, name, args });
      // The provider only describes some tools, and a function of the same name executes the calls.
      if (functionNames.has(name)) described.add(name);
      continue;
    }
    const form = usableForm(native, dialect);
    if ('option' in form) {
      options.push(form.option(native));
      continue;
    }
    const name = typeof form.name === 'string' ? form.name : form.name(native);
    tools.push({ type: 'provider', id: form.id, name, args: form.args?.(native) ?? {} });
    if (form.executedByFunction) described.add(name);
  }
  checkNames(tools, described, functionNames);
  const searches = natives.some(({ kind }) => kind === 'tool-search');
  return { tools, described, options, deferred: searches ? dialect.search?.deferred : undefined };
}

function usableForm(
  native: Exclude<NativeTool, { kind: 'provider' }>,
  dialect: NativeDialect,
): NativeForm<NativeTool> {
  const form = nativeFormOf(dialect, native);
  if (form === undefined) {
    throw new UserError(
      `The model does not support the native tool \`${native.kind}\`. Use \`supportsNative\` of the model to find out.`,
    );
  }
  const given = new Map<string, unknown>(Object.entries(native));
  const unsupported = form.unsupportedOptions?.find((option) => given.get(option) !== undefined);
  if (unsupported !== undefined) {
    const owner = dialect.prefix ?? 'this provider';
    throw new UserError(
      `The native tool \`${native.kind}\` of ${owner} does not support \`${unsupported}\`, so the limit would have ` +
        'no effect. Remove the option for this model, or use a function that enforces it.',
    );
  }
  return form;
}

function checkNames(
  tools: readonly ProviderToolItem[],
  described: ReadonlySet<string>,
  functionNames: ReadonlySet<string>,
): void {
  for (const { id, name } of tools) {
    if (described.has(name)) {
      if (functionNames.has(name)) continue;
      throw new UserError(
        `The provider only describes the native tool \`${name}\`, and a function executes its calls. ` +
          `Add a tool named \`${name}\` to the agent.`,
      );
    }
    if (functionNames.has(name)) {
      throw new UserError(
        `A tool of the agent and the native tool \`${id}\` have the same name \`${name}\`. Rename the tool, or set ` +
          'its `unlessNative`, so that it is used only if the native tool is missing.',
      );
    }
  }
}
