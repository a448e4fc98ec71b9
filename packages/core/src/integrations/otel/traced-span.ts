import { liveEnvironment } from '../../context/environment.ts';
import { isReadableError, isThrown, messageOf } from '../../errors/thrown.ts';
import {
  type OtelApi,
  type OtelAttributes,
  type OtelHistogram,
  type OtelSpan,
  type OtelSpanContext,
  STATUS_ERROR,
} from './api-library.ts';
import { toText } from './attributes.ts';

/** A span whose errors do not reach the run. It ends once. */
export class TracedSpan {
  readonly #api: OtelApi;
  readonly #startedAt = liveEnvironment.now();
  readonly span: OtelSpan | undefined;
  #isEnded = false;

  constructor(api: OtelApi, start: () => OtelSpan) {
    this.#api = api;
    this.span = this.#safely(start);
  }

  get isRecording(): boolean {
    return !this.#isEnded && this.#safely(() => this.span?.isRecording()) === true;
  }

  /** The time since the span started, in seconds. */
  get seconds(): number {
    return (liveEnvironment.now() - this.#startedAt) / 1000;
  }

  /** The ids of the span in the W3C format; `undefined` without a trace. */
  get traceparent(): string | undefined {
    return this.#safely(() => {
      const ids = this.span?.spanContext();
      const isValid = ids !== undefined && this.#api.trace.isSpanContextValid(ids);
      return isValid ? formatTraceparent(ids) : undefined;
    });
  }

  /** Adds attributes. They are computed only if the span is recorded. */
  set(attributes: () => OtelAttributes): void {
    if (this.isRecording) this.#safely(() => this.span?.setAttributes(attributes()));
  }

  addEvent(name: string, attributes: OtelAttributes): void {
    if (this.isRecording) this.#safely(() => this.span?.addEvent(name, attributes));
  }

  /** Marks the operation as failed. Without `includeMessage`, the trace has only the type of the error. */
  fail(thrown: unknown, includeMessage = true): void {
    if (!this.isRecording) return;
    this.set(() => ({ 'error.type': errorType(thrown) }));
    const message = includeMessage ? { message: messageOf(thrown) } : {};
    this.#safely(() => this.span?.setStatus({ code: STATUS_ERROR, ...message }));
    if (includeMessage) this.#safely(() => this.span?.recordException(toError(thrown)));
  }

  /** Records the duration of the operation. */
  measure(histogram: OtelHistogram, attributes: OtelAttributes): void {
    this.#safely(() => histogram.record(this.seconds, attributes));
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#safely(() => this.span?.end());
  }

  /** Executes code of the telemetry. An error in it must not fail a run, nor leave a call in doubt. */
  #safely<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      this.#api.diag.error('holdpoint: a span could not be recorded.', error);
      return undefined;
    }
  }
}

/** Returns the name of an error. Other values have no type that would be the same for all of its kind. */
function errorType(thrown: unknown): string {
  return isReadableError(thrown) ? thrown.name : '_OTHER';
}

/** Returns the thrown value if it is an error that a tracer can read, and otherwise a new error with its text. */
function toError(thrown: unknown): Error {
  if (isReadableError(thrown)) return thrown;
  return new Error(isThrown(thrown, Error) ? messageOf(thrown) : toText(thrown));
}

/** A trace context of any version: the version, the id of the trace, the id of the span, and the flags. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** Returns the ids of a span in the W3C format. */
function formatTraceparent({ traceId, spanId, traceFlags }: OtelSpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Reads the W3C format. Returns `undefined` for other text: tracing must not fail a run. */
export function parseTraceparent(text: string | undefined): OtelSpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff') return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
