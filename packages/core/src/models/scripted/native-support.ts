import type { OptionTable } from '../../errors/check-options.ts';
import type { NativeTool, NativeToolKind } from '../native-tool.ts';

/** Options of a test model about tools that a provider executes. */
export interface NativeSupport {
  /** The kinds of native tools that the model supports. Defaults to none. */
  readonly supportsNative?: readonly NativeToolKind[] | undefined;
}

export const NATIVE_SUPPORT_OPTIONS: OptionTable<NativeSupport> = { supportsNative: 'list' };

/** Returns true if a test model supports a native tool. */
export function supportsNativeTool(
  { supportsNative = [] }: NativeSupport,
  tool: NativeTool,
): boolean {
  return supportsNative.includes(tool.kind);
}
