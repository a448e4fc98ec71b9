import { isReadableError, isThrown, messageOf } from '../errors/thrown.ts';

/** Where a run reports what it does and how long it takes. An OpenTelemetry tracer fits. */
export interface Tracer {
  startSpan(
    name: string,
    options?: { attributes?: Record<string, string | number | boolean> },
  ): Span;
}

/** One piece of work that is being traced. */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  recordException(error: Error): void;
  end(): void;
}

const noopSpan: Span = { setAttribute() {}, recordException() {}, end() {} };

/** Reports nothing. */
export const noopTracer: Tracer = Object.freeze({ startSpan: () => noopSpan });

/** Does some work inside a span; costs nothing with the {@link noopTracer}. */
export async function traced<T>(
  tracer: Tracer,
  name: string,
  attributes: () => Record<string, string | number | boolean>,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, { attributes: attributes() });
  try {
    return await work(span);
  } catch (error) {
    span.recordException(toError(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the thrown value if it is an error that a tracer can read, and otherwise a new error with its text. */
export function toError(thrown: unknown): Error {
  if (isReadableError(thrown)) return thrown;
  return new Error(isThrown(thrown, Error) ? messageOf(thrown) : toText(thrown));
}

/** Any value as text; a trace must not fail because of what it tells of. */
export function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return messageOf(value);
  }
}
