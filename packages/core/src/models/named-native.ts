import { dialectSupports } from './ai-sdk/native/native-dialect.ts';
import { INTERFACES, nativeDialectOf } from './ai-sdk/native/native-tool-table.ts';
import type { NativeTool } from './native-tool.ts';

/** Returns true if the model with the name `provider:model` supports a native tool. Does not load its package. */
export function namedModelSupports(text: string, tool: NativeTool): boolean {
  const colon = text.indexOf(':');
  const provider = INTERFACES.get(text.slice(0, colon));
  if (colon === -1 || provider === undefined) return false;
  return dialectSupports(nativeDialectOf(provider), text.slice(colon + 1), tool);
}
