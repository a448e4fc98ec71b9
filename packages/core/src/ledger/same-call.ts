import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';
import { canonicalJson } from '../internal/canonical-json.ts';

/** Returns a text that is equal for calls of the same tool with the same arguments. */
export function sameCallText({ toolName, args }: Pick<ToolCallPart, 'toolName' | 'args'>): string {
  const parsed = parseArgs(args);
  try {
    return `${toolName} ${canonicalJson(parsed.ok ? parsed.value : args)}`;
  } catch {
    // Some arguments have no canonical form, such as numbers that are not finite.
    return `${toolName} ${JSON.stringify(args)}`;
  }
}
