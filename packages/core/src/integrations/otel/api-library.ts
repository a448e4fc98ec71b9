import { messageOf } from '../../errors/thrown.ts';
import { UserError } from '../../errors/user-errors.ts';

/**
 * The used part of `@opentelemetry/api`, described structurally: the package is an optional peer, and the published
 * types import nothing. A test compiles the package against this interface.
 */
export interface OtelApi {
  readonly context: {
    active(): OtelContext;
    with<Result>(context: OtelContext, work: () => Result): Result;
  };
  readonly trace: {
    getTracer(name: string): OtelTracer;
    setSpan(context: OtelContext, span: OtelSpan): OtelContext;
    getSpanContext(context: OtelContext): OtelSpanContext | undefined;
    setSpanContext(context: OtelContext, spanContext: OtelSpanContext): OtelContext;
    isSpanContextValid(spanContext: OtelSpanContext): boolean;
  };
  readonly metrics: { getMeter(name: string): OtelMeter };
  readonly diag: { error(message: string, ...args: unknown[]): void };
}

/** The value of an attribute. */
export type OtelAttribute = string | number | boolean | string[];

/** Attributes of a span, an event or a measurement. */
export type OtelAttributes = Record<string, OtelAttribute>;

/** A `Context` of OpenTelemetry. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** The ids of a span. */
export interface OtelSpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

/** A `Span` of OpenTelemetry. */
export interface OtelSpan {
  spanContext(): OtelSpanContext;
  isRecording(): boolean;
  setAttributes(attributes: OtelAttributes): unknown;
  addEvent(name: string, attributes?: OtelAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** A `Tracer` of OpenTelemetry. */
export interface OtelTracer {
  startSpan(
    name: string,
    options?: {
      kind?: number;
      attributes?: OtelAttributes;
      links?: { context: OtelSpanContext; attributes?: OtelAttributes }[];
    },
    context?: OtelContext,
  ): OtelSpan;
}

/** A `Meter` of OpenTelemetry. */
export interface OtelMeter {
  createHistogram(
    name: string,
    options?: {
      description?: string;
      unit?: string;
      advice?: { explicitBucketBoundaries?: number[] };
    },
  ): OtelHistogram;
}

/** A `Histogram` of OpenTelemetry. */
export interface OtelHistogram {
  record(value: number, attributes?: OtelAttributes): void;
}

/** The values of `SpanKind` that Holdpoint uses. */
export const SPAN_KIND = { internal: 0, client: 2 } as const;

/** The value of `SpanStatusCode.ERROR`. */
export const STATUS_ERROR = 2;

/** Imports the package. */
export async function loadOtelApi(): Promise<OtelApi> {
  try {
    // @ts-ignore: This must compile without the package; a test compares the types.
    return (await import('@opentelemetry/api')) as OtelApi;
  } catch (cause) {
    throw new UserError(
      `\`otel()\` needs the package \`@opentelemetry/api\`, which cannot be loaded: ${messageOf(cause)}\n` +
        'Install it with `npm install @opentelemetry/api`.',
      { cause, code: 'missing-package' },
    );
  }
}
