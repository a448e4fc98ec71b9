import type { ToolCallPart } from '../messages/response-part.ts';
import { parseArgs } from '../tools/parse-args.ts';
import { canonicalJson } from '../internal/canonical-json.ts';

/** A text that is equal for calls of the same tool with the same arguments. */
export function sameCallText({ toolName, args }: Pick<ToolCallPart, 'toolName' | 'args'>): string {
  const parsed = parseArgs(args);
  // Side by side: arguments may be as deep as JSON may be.
  try {
    return `${toolName} ${canonicalJson(parsed.ok ? parsed.value : args)}`;
  } catch {
    // Numbers that JSON has no place for: the text is what there is.
    return `${toolName} ${JSON.stringify(args)}`;
  }
}
