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

/** What native tools are in a call to the AI SDK. */
export interface OfferedNatives {
  readonly tools: readonly ProviderToolItem[];
  /** Names of functions that are not offered as such: the provider describes them. */
  readonly described: ReadonlySet<string>;
  /** What goes into the options of the call. */
  readonly options: readonly ListOption[];
  /** What marks functions that only a search finds; `undefined` where there is no search. */
  readonly deferred: ProviderOptions | undefined;
}

const NO_NATIVE_TOOLS: OfferedNatives = {
  tools: [],
  described: new Set(),
  options: [],
  deferred: undefined,
};

/** Native tools in the words of the provider's AI SDK package. */
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
      // Some tools are only described by the provider: a function of the same name answers.
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
      `This model has no native tool '${native.kind}'. Ask its supportsNative before you offer one.`,
    );
  }
  const given = new Map<string, unknown>(Object.entries(native));
  const unsupported = form.unsupportedOptions?.find((option) => given.get(option) !== undefined);
  if (unsupported !== undefined) {
    const owner = dialect.prefix ?? 'this provider';
    throw new UserError(
      `The native tool '${native.kind}' of ${owner} has no '${unsupported}', so the limit would not hold. ` +
        'Leave it out for this model, or offer a function of your own that keeps to it.',
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
        `The provider only describes its tool '${name}'; a function answers the calls. ` +
          `Add a tool named '${name}' to the agent.`,
      );
    }
    if (functionNames.has(name)) {
      throw new UserError(
        `A tool of the agent has the name '${name}', and so has the native tool ${id}. ` +
          'Rename it, or say with unlessNative that it stands in where the native tool is missing.',
      );
    }
  }
}
