import type { OptionTable } from '../../errors/check-options.ts';
import type { NativeTool, NativeToolKind } from '../native-tool.ts';

/** What a test model says about tools that a provider runs itself. */
export interface NativeSupport {
  /** The kinds of native tools that the model has; none unless said otherwise. */
  readonly supportsNative?: readonly NativeToolKind[] | undefined;
}

/** The options about native tools. */
export const NATIVE_SUPPORT: OptionTable<NativeSupport> = { supportsNative: 'list' };

/** Whether a test model has a native tool. */
export function hasNative({ supportsNative = [] }: NativeSupport, tool: NativeTool): boolean {
  return supportsNative.includes(tool.kind);
}
