const MAX_IDS = 10;
const MAX_ID_LENGTH = 100;

/** Quotes ids for an error message. Leaves out those that make the list too long to read. */
export function quoteIds(ids: readonly string[]): string {
  return listed(ids, quoteId);
}

/** Quotes tool calls for an error message, by id and tool. */
export function quoteCalls(
  calls: readonly { readonly toolCallId: string; readonly toolName: string }[],
): string {
  return listed(calls, (call) => `${quoteId(call.toolCallId)} (${cut(call.toolName)})`);
}

function listed<T>(items: readonly T[], show: (item: T) => string): string {
  if (items.length === 0) return 'none';
  const more = items.length > MAX_IDS ? ` and ${items.length - MAX_IDS} more` : '';
  return items.slice(0, MAX_IDS).map(show).join(', ') + more;
}

function quoteId(text: string): string {
  return `'${cut(text)}'`;
}

function cut(text: string): string {
  return text.length > MAX_ID_LENGTH ? `${text.slice(0, MAX_ID_LENGTH)}…` : text;
}
