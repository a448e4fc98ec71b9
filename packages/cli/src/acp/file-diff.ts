import { resolve } from 'node:path';
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import type { JsonValue } from 'holdpoint';
import type { PendingCall } from '../terminal/pending-call.ts';
import { isObject } from '../terminal/values.ts';

/** The names of a pair of texts in a preview or in arguments: the old and the new text. */
const PAIRS = [
  ['before', 'after'],
  ['oldText', 'newText'],
] as const;

/**
 * Returns the edit of a file that a call describes, as editors show it: an object with a `path` and two texts in its
 * preview or, if it has no preview, in its arguments.
 */
export function fileDiff({ details, validatedArgs }: PendingCall): ToolCallContent | undefined {
  return diffIn(details.preview ?? validatedArgs);
}

function diffIn(value: JsonValue): ToolCallContent | undefined {
  if (!isObject(value) || typeof value['path'] !== 'string') return undefined;
  for (const [oldName, newName] of PAIRS) {
    const oldText = value[oldName];
    const newText = value[newName];
    // `null` is the old text of a file that does not exist.
    if ((typeof oldText === 'string' || oldText === null) && typeof newText === 'string') {
      // Editors expect absolute paths.
      return { type: 'diff', path: resolve(value['path']), oldText, newText };
    }
  }
  return undefined;
}
