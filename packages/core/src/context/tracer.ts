import { isReadableError, isThrown, messageOf } from '../errors/thrown.ts';

/** A tracer that receives the model requests and tool calls of a run. An OpenTelemetry tracer fits. */
export interface Tracer {
  startSpan(
    name: string,
    options?: { attributes?: Record<string, string | number | boolean> },
  ): Span;
}

/** A traced operation. */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  recordException(error: Error): void;
  end(): void;
}

const noopSpan: Span = { setAttribute() {}, recordException() {}, end() {} };

/** A tracer without effect. */
export const noopTracer: Tracer = Object.freeze({ startSpan: () => noopSpan });

/** Executes `work` in a span, and records its error. Without a tracer, it only executes `work`. */
export async function traced<T>(
  tracer: Tracer,
  name: string,
  attributes: () => Record<string, string | number | boolean>,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  if (tracer === noopTracer) return work(noopSpan);
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
  return new Error(isThrown(thrown, Error) ? messageOf(thrown) : textForTrace(thrown));
}

/** Returns any value as text. It never throws, because tracing must not fail a run. */
export function textForTrace(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return messageOf(value);
  }
}
