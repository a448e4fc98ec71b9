import { UserError } from 'holdpoint';
import type { AuditRow } from '../model/audit-row.ts';
import { isThenable, kindOf } from '../model/check-keys.ts';

/** Yields entries as JSON lines, for a file. */
export async function* toAuditLines(
  entries: Iterable<AuditRow> | AsyncIterable<AuditRow>,
): AsyncGenerator<string> {
  requireIterable('`toAuditLines`', entries, 'Pass what `exportAudit` returns.');
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}

/**
 * Yields the lines of an exported file, for `verifyAudit`. It accepts the chunks of a stream. A line that is not JSON is
 * yielded as text, and reported as an invalid entry.
 */
export async function* fromAuditLines(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<unknown> {
  requireIterable('`fromAuditLines`', pieces, 'Pass a stream, or a list of texts.');
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

/** Throws unless a value yields others. A text would yield its characters. */
function requireIterable(what: string, value: unknown, advice: string): void {
  const given = Object(value);
  const isIterable = [Symbol.asyncIterator, Symbol.iterator].some(
    (name) => typeof given[name] === 'function',
  );
  if (isIterable) return;
  const hint = isThenable(value) ? 'Did you forget `await`?' : advice;
  throw new UserError(`${what} was given ${kindOf(value)}. ${hint}`);
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
