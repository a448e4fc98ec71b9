/** Traces and metrics of runs for OpenTelemetry. */

export type {
  OtelAttribute,
  OtelAttributes,
  OtelContext,
  OtelHistogram,
  OtelMeter,
  OtelSpan,
  OtelSpanContext,
  OtelTracer,
} from './api-library.ts';
export { otel, type OtelOptions } from './otel.ts';
