const MOST_IDS = 10;
const LONGEST_ID = 100;

/** Ids for a message: quoted, and not more of them than a person reads. */
export function quoteIds(ids: readonly string[]): string {
  return listed(ids, quoted);
}

/** Tool calls for a message, by id and tool. */
export function quoteCalls(
  calls: readonly { readonly toolCallId: string; readonly toolName: string }[],
): string {
  return listed(calls, (call) => `${quoted(call.toolCallId)} (${cut(call.toolName)})`);
}

function listed<T>(items: readonly T[], show: (item: T) => string): string {
  if (items.length === 0) return 'none';
  const more = items.length > MOST_IDS ? ` and ${items.length - MOST_IDS} more` : '';
  return items.slice(0, MOST_IDS).map(show).join(', ') + more;
}

function quoted(text: string): string {
  return `'${cut(text)}'`;
}

function cut(text: string): string {
  return text.length > LONGEST_ID ? `${text.slice(0, LONGEST_ID)}…` : text;
}
