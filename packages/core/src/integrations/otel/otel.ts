import type { Capability } from '../../capabilities/capability.ts';
import { inheritHooks } from '../../capabilities/hook-set.ts';
import { checkOptions, invalidOption, type OptionTable } from '../../errors/check-options.ts';
import { loadOtelApi, type OtelMeter, type OtelTracer } from './api-library.ts';
import { RunMetrics, RunTelemetry } from './run-telemetry.ts';

/** Options of {@link otel}. */
export interface OtelOptions {
  /** The tracer for the spans; by default the tracer `holdpoint` of the registered provider. */
  readonly tracer?: OtelTracer | undefined;
  /** The meter for the metrics; by default the meter `holdpoint` of the registered provider. */
  readonly meter?: OtelMeter | undefined;
  /**
   * True if spans contain prompts, responses, arguments and results. By default, the environment variable
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` decides, and without it spans contain none.
   */
  readonly includeContent?: boolean | undefined;
  /**
   * The trace of a resumed run. `link`, the default: its own trace, with a link to the span of the parked run.
   * `same-trace`: the trace of the parked run.
   */
  readonly resume?: 'link' | 'same-trace' | undefined;
}

const OTEL_OPTIONS: OptionTable<OtelOptions> = {
  tracer: 'object',
  meter: 'object',
  includeContent: 'boolean',
  resume: ['link', 'same-trace'],
};

/**
 * Returns a capability that traces runs, model requests and tool calls, and measures their durations. Sub-agents are
 * traced too, inside of the calls that run them.
 *
 * Requires the package `@opentelemetry/api`. Your application registers the SDK and its exporters.
 *
 * @example
 * const agent = new Agent({ model, tools, capabilities: [otel()] })
 */
export function otel(options: OtelOptions = {}): Capability {
  checkOptions('`otel`', options, OTEL_OPTIONS);
  const { tracer, meter, includeContent = capturesContent(), resume = 'link' } = options;
  requireMethod('tracer', tracer, 'startSpan');
  requireMethod('meter', meter, 'createHistogram');
  const metrics = new RunMetrics();
  return inheritHooks({
    name: 'otel',
    conflictsWith: ['otel'],
    async forRun() {
      const api = await loadOtelApi();
      return new RunTelemetry({
        api,
        tracer: tracer ?? api.trace.getTracer('holdpoint'),
        metrics: metrics.of(meter ?? api.metrics.getMeter('holdpoint')),
        includeContent,
        resume,
      });
    },
  });
}

function requireMethod(name: string, given: object | undefined, method: string): void {
  // A caller without types may pass any object.
  const member = (given as Readonly<Record<string, unknown>> | undefined)?.[method];
  if (given === undefined || typeof member === 'function') return;
  throw invalidOption('`otel`', name, given, `an object with the method \`${method}\``);
}

/** Returns whether the environment variable of the GenAI conventions asks for content in spans. */
function capturesContent(): boolean {
  const { process } = globalThis as {
    process?: { env?: Readonly<Record<string, string | undefined>> };
  };
  const setting = process?.env?.['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] ?? '';
  return ['true', 'span_only', 'span_and_event'].includes(setting.toLowerCase());
}
