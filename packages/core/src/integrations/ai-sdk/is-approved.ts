import { isPlainObject } from '../../internal/json.ts';

/**
 * Whether messages of the AI SDK end with somebody's approval of a call.
 *
 * Only the last message counts, as in the AI SDK: ids may come again, and what was approved before
 * was another call.
 */
export function isApproved(messages: readonly unknown[], toolCallId: string): boolean {
  const approvalIds = new Set(
    messages
      .flatMap((message) => partsOf(message, 'assistant'))
      .filter(
        (part) => part['type'] === 'tool-approval-request' && part['toolCallId'] === toolCallId,
      )
      .map((part) => part['approvalId']),
  );
  const answers = partsOf(messages.at(-1), 'tool').filter(
    (part) => part['type'] === 'tool-approval-response' && approvalIds.has(part['approvalId']),
  );
  return answers.length > 0 && answers.every((answer) => answer['approved'] === true);
}

function partsOf(message: unknown, role: string): Readonly<Record<string, unknown>>[] {
  if (!isPlainObject(message) || message['role'] !== role) return [];
  const { content } = message;
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}
