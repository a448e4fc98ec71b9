import type { AuditRow } from '../model/audit-row.ts';

/** Yields entries as JSON lines, for a file. */
export async function* toAuditLines(
  entries: Iterable<AuditRow> | AsyncIterable<AuditRow>,
): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}

/**
 * Yields the lines of an exported file, for `verifyAudit`. It accepts the chunks of a stream. A line that is not JSON is
 * yielded as text, and reported as an invalid entry.
 */
export async function* fromAuditLines(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter(isSomething).map(parsed);
  }
  rest += decoder.decode();
  if (isSomething(rest)) yield parsed(rest);
}

function isSomething(line: string): boolean {
  return line.trim() !== '';
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
