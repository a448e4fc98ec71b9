import type { OtelHistogram, OtelMeter } from './api-library.ts';

/** The histograms of runs and tool calls. */
export interface Histograms {
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
