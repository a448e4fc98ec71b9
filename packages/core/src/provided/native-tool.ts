import type { Capability } from '../capabilities/capability.ts';
import type { NativeToolSource } from '../context/native-tool-source.ts';
import { checkOptions } from '../errors/check-options.ts';
import { UserError } from '../errors/user-error.ts';
import { nativeToolKey } from '../models/native-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { requireTool } from '../toolsets/require-tools.ts';

/**
 * A capability that has a tool of the provider and, for models that do not have it, a tool of ours
 * that stands in for it: one with `unlessNative`.
 *
 * @example
 * nativeTool({ kind: 'web-search' }, { local: tool({ name: 'search', unlessNative: 'web-search', … }) })
 */
export function nativeTool<Deps = unknown>(
  source: NativeToolSource<Deps>,
  options: { readonly local?: Tool<Deps> | undefined } = {},
): Capability<Deps> {
  checkOptions('`nativeTool`', options, { local: 'value' });
  const { local } = options;
  if (local !== undefined) requireTool(local, '`local` of `nativeTool`');
  if (local !== undefined) requireStandIn(source, local);
  return Object.freeze({
    name: 'nativeTool',
    nativeTools: Object.freeze([source]),
    ...(local && { tools: Object.freeze([local]) }),
  });
}

/** A tool that does not say for what it stands in would be there beside it. */
function requireStandIn<Deps>(source: NativeToolSource<Deps>, local: Tool<Deps>): void {
  const name = local.name ?? '';
  const { unlessNative } = local.definitionAs(name);
  const wanted = typeof source === 'function' ? unlessNative : nativeToolKey(source);
  if (wanted !== undefined && unlessNative === wanted) return;
  throw new UserError(
    `The tool '${name}' does not stand in for the native tool. Give it unlessNative: '${wanted ?? '…'}'.`,
  );
}
