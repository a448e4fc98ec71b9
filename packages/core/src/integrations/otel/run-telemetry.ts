import type { CallToExecute, CapabilityHooks } from '../../capabilities/capability.ts';
import { liveEnvironment } from '../../context/environment.ts';
import type { RunContext } from '../../context/run-context.ts';
import { setTraceparent } from '../../context/traceparent.ts';
import type { ParkedRun, RunEnd } from '../../events/run-end.ts';
import type { StepEvent } from '../../events/run-events.ts';
import type { Message, RequestUsage } from '../../messages/message.ts';
import { hasStepRecord, type StepRecord, stepRecordOf } from '../../messages/step-record.ts';
import type { ModelCall, ModelResponseData } from '../../models/model.ts';
import {
  type OtelApi,
  type OtelAttributes,
  type OtelContext,
  type OtelHistogram,
  type OtelMeter,
  type OtelSpanContext,
  type OtelTracer,
  SPAN_KIND,
} from './api-library.ts';
import {
  approvalAttributes,
  type ExecutionOutcome,
  outcomeOfError,
  requestAttributes,
  requestContent,
  responseAttributes,
  responseContent,
  resultContent,
  runAttributes,
  toolAttributes,
  toText,
  usageAttributes,
} from './attributes.ts';
import { parseTraceparent, TracedSpan } from './traced-span.ts';

/** The options of `otel` with their defaults, and the API. */
interface TelemetryContext {
  readonly api: OtelApi;
  readonly tracer: OtelTracer;
  readonly metrics: Histograms;
  readonly includeContent: boolean;
  readonly resume: 'link' | 'same-trace';
}

/** The key under which a context of OpenTelemetry has the telemetry of the run that it belongs to. */
const RUN = Symbol('holdpoint run');

/** The hooks of one run that record its spans and metrics. */
export class RunTelemetry implements CapabilityHooks {
  readonly #telemetry: TelemetryContext;
  /** The context with the span of the run. Steps execute outside of the hook around the run, so it is stored. */
  #context: OtelContext;
  /** The span of the current model request. */
  #request: TracedSpan | undefined;
  /** The tokens of this run and of its sub-agents. */
  readonly #usage = { inputTokens: 0, outputTokens: 0 };
  /** The times at which decisions were requested and received, in milliseconds. */
  #requestedAt: number | undefined;
  #decidedAt: number | undefined;
  /** Aborts when the caller stops the run. */
  #signal: AbortSignal | undefined;

  constructor(telemetry: TelemetryContext) {
    this.#telemetry = telemetry;
    this.#context = telemetry.api.context.active();
  }

  async wrapRun(next: () => Promise<RunEnd>, ctx: RunContext): Promise<RunEnd> {
    const { api, metrics } = this.#telemetry;
    const active = api.context.active();
    this.#signal = ctx.signal;
    const span = this.#startRun(active, ctx);
    let status: RunEnd['kind'] | 'failed' | 'stopped' = 'failed';
    try {
      const end = await api.context.with(this.#context, next);
      status = end.kind;
      if (end.kind === 'parked') recordHolds(span, end);
      return end;
    } catch (error) {
      // The caller stopped the run, which is not an error.
      if (this.#signal.aborted) status = 'stopped';
      else span.fail(error);
      throw error;
    } finally {
      const outer = active.getValue(RUN);
      if (outer instanceof RunTelemetry) outer.#addUsage(this.#usage);
      const outcome = { 'holdpoint.run.status': status };
      span.set(() => ({ ...outcome, ...usageAttributes('gen_ai.aggregated_usage', this.#usage) }));
      span.end();
      const { name } = ctx.agent;
      span.measure(metrics.run, name ? { 'gen_ai.agent.name': name, ...outcome } : outcome);
    }
  }

  async wrapModelRequest(
    call: ModelCall,
    next: (call: ModelCall) => Promise<ModelResponseData>,
    ctx: RunContext,
  ): Promise<ModelResponseData> {
    const { includeContent } = this.#telemetry;
    const name = `chat ${ctx.model.name}`;
    const span = this.#start(name, SPAN_KIND.client, requestAttributes(ctx, call));
    if (includeContent) span.set(() => requestContent(call));
    this.#request = span;
    // A model may ignore the signal, and its request would never end.
    const forget = onAbort(call.signal, () => span.end());
    try {
      const response = await this.#inside(span, () => next(call));
      this.#addUsage(response.usage);
      span.set(() => responseAttributes(response));
      if (includeContent) span.set(() => responseContent(response));
      return response;
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      forget();
      this.#request = undefined;
      span.end();
    }
  }

  async wrapToolExecution(
    { call, args }: CallToExecute,
    next: () => Promise<unknown>,
    ctx: RunContext,
  ): Promise<unknown> {
    const { includeContent, metrics } = this.#telemetry;
    const name = `execute_tool ${call.toolName}`;
    const span = this.#start(name, SPAN_KIND.internal, toolAttributes(call));
    span.set(() => approvalAttributes(ctx, this.#waitSeconds()));
    if (includeContent) span.set(() => ({ 'gen_ai.tool.call.arguments': toText(args) }));
    if (span.traceparent !== undefined) setTraceparent(ctx, span.traceparent);

    let hasEnded = false;
    const end = (outcome: ExecutionOutcome) => {
      if (hasEnded) return;
      hasEnded = true;
      span.set(() => ({ 'holdpoint.tool.outcome': outcome }));
      span.end();
      const attributes = { 'gen_ai.tool.name': call.toolName, 'holdpoint.tool.outcome': outcome };
      span.measure(metrics.tool, attributes);
    };
    // A tool may ignore the signal. A call that timed out has a span, although it never ends.
    const forget = onAbort(ctx.signal, () => {
      if (!this.#signal?.aborted) span.fail(ctx.signal.reason);
      end('cancelled');
    });
    try {
      const returned = await this.#inside(span, next);
      if (includeContent) span.set(() => resultContent(returned));
      end('success');
      return returned;
    } catch (error) {
      const outcome = outcomeOfError(error);
      if (outcome === 'error') span.fail(error);
      // The model receives this message, so it is content.
      if (outcome === 'failed') span.fail(error, includeContent);
      end(outcome);
      throw error;
    } finally {
      forget();
    }
  }

  onEvent({ kind, replayed }: StepEvent): void {
    const now = replayed ? undefined : liveEnvironment.now();
    if (kind === 'deferred-requests') this.#requestedAt = now;
    else if (kind === 'deferred-results') this.#decidedAt = now;
    else if (kind === 'part-start') this.#recordFirstChunk();
  }

  #recordFirstChunk(): void {
    const request = this.#request;
    this.#request = undefined;
    request?.set(() => ({
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': request.seconds,
    }));
  }

  /** Starts the span of the run: in the active context, or in the trace of the run that it resumes. */
  #startRun(active: OtelContext, ctx: RunContext): TracedSpan {
    const { api, tracer, resume } = this.#telemetry;
    const parked = this.#readParked(ctx.messages);
    const isInTrace = api.trace.getSpanContext(active)?.traceId === parked?.traceId;
    const isContinued = parked !== undefined && resume === 'same-trace' && !isInTrace;
    const parent = isContinued ? api.trace.setSpanContext(active, parked) : active;
    const links =
      parked === undefined || isContinued
        ? []
        : [{ context: parked, attributes: { 'holdpoint.link': 'resumes' } }];
    const { name } = ctx.agent;
    const span = new TracedSpan(api, () =>
      tracer.startSpan(
        name === undefined ? 'invoke_agent' : `invoke_agent ${name}`,
        { kind: SPAN_KIND.internal, attributes: runAttributes(ctx), links },
        parent,
      ),
    );
    this.#context = this.#contextOf(span, parent).setValue(RUN, this);
    if (span.traceparent !== undefined) setTraceparent(ctx, span.traceparent);
    return span;
  }

  /** Returns the span of the run that parked the history, and sets the time since which its calls are pending. */
  #readParked(messages: readonly Message[]): OtelSpanContext | undefined {
    const record = tryReadRecord(messages);
    if (record === undefined || record.open.size === 0) return undefined;
    const parkedAt = Date.parse(messages.findLast(hasStepRecord)?.timestamp ?? '');
    this.#requestedAt = Number.isNaN(parkedAt) ? undefined : parkedAt;
    this.#decidedAt = liveEnvironment.now();
    return parseTraceparent(record.traceparent);
  }

  /** Returns how long the calls were pending before the decisions arrived. */
  #waitSeconds(): number | undefined {
    if (this.#requestedAt === undefined || this.#decidedAt === undefined) return undefined;
    return Math.max(0, this.#decidedAt - this.#requestedAt) / 1000;
  }

  /** Starts a span inside of the run, or inside of the span in which a tool of this run made the call. */
  #start(name: string, kind: number, attributes: OtelAttributes): TracedSpan {
    const { api, tracer } = this.#telemetry;
    return new TracedSpan(api, () =>
      tracer.startSpan(name, { kind, attributes }, this.#currentContext()),
    );
  }

  #currentContext(): OtelContext {
    const active = this.#telemetry.api.context.active();
    return active.getValue(RUN) === this ? active : this.#context;
  }

  /** Executes work in the context of a span, so that spans that it starts are children. */
  #inside<Result>(span: TracedSpan, work: () => Promise<Result>): Promise<Result> {
    return this.#telemetry.api.context.with(this.#contextOf(span, this.#currentContext()), work);
  }

  #contextOf({ span }: TracedSpan, parent: OtelContext): OtelContext {
    return span === undefined ? parent : this.#telemetry.api.trace.setSpan(parent, span);
  }

  #addUsage(usage: RequestUsage | undefined): void {
    this.#usage.inputTokens += usage?.inputTokens ?? 0;
    this.#usage.outputTokens += usage?.outputTokens ?? 0;
  }
}

/** Returns the record of the last step. The run validates it if it needs it. */
function tryReadRecord(messages: readonly Message[]): StepRecord | undefined {
  try {
    return stepRecordOf(messages);
  } catch {
    return undefined;
  }
}

/** Records an event for each call of the run that is pending now. The spans of sub-agents have those of their calls. */
function recordHolds(span: TracedSpan, { requests }: ParkedRun): void {
  for (const { kind, toolName, toolCallId, path } of requests) {
    if (path.length > 0) continue;
    span.addEvent('holdpoint.hold.opened', {
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.call.id': toolCallId,
      'holdpoint.hold.kind': kind,
    });
  }
}

/** Calls `listener` when a signal aborts. Returns a function that removes it. */
function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}

/** The histograms of runs and tool calls. */
interface Histograms {
  readonly run: OtelHistogram;
  readonly tool: OtelHistogram;
}

/** From a hundredth of a second to an hour. */
const BOUNDARIES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** Creates the histograms once for each meter. The provider may be registered after the capability was created. */
export class RunMetrics {
  readonly #known = new WeakMap<OtelMeter, Histograms>();

  of(meter: OtelMeter): Histograms {
    const known = this.#known.get(meter);
    if (known !== undefined) return known;
    const created = {
      run: createHistogram(meter, 'holdpoint.run.duration', 'The duration of a run.'),
      tool: createHistogram(meter, 'holdpoint.tool.duration', 'The duration of a tool call.'),
    };
    this.#known.set(meter, created);
    return created;
  }
}

function createHistogram(meter: OtelMeter, name: string, description: string): OtelHistogram {
  return meter.createHistogram(name, {
    description,
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
}
