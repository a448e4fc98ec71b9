import type { OtelSpanContext } from './api-library.ts';

/** A trace context of any version: the version, the id of the trace, the id of the span, and the flags. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** Returns the ids of a span in the W3C format. */
export function formatTraceparent({ traceId, spanId, traceFlags }: OtelSpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Reads the W3C format. Returns `undefined` for other text: tracing must not fail a run. */
export function parseTraceparent(text: string | undefined): OtelSpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff') return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
