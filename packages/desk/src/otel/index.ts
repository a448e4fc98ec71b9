/** Traces and metrics of a desk for OpenTelemetry. */

export { deskOtel, type DeskOtelOptions, type ObservedPool } from './desk-otel.ts';
