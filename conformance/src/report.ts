import type { Difference } from './compare.ts';

/** The outcome of one case. */
export type Verdict =
  | { readonly name: string; readonly status: 'passed' }
  | { readonly name: string; readonly status: 'failed'; readonly difference: Difference }
  | { readonly name: string; readonly status: 'unsupported'; readonly missing: string };

/** The outcome of a suite. */
export interface Report {
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1;
}

/**
 * Builds the report: the failures, unsupported cases and fields that were not compared, and the
 * counts.
 */
export function makeReport(verdicts: readonly Verdict[], notCompared: Iterable<string>): Report {
  const failed = verdicts.filter((verdict) => verdict.status === 'failed');
  const unsupported = verdicts.filter((verdict) => verdict.status === 'unsupported');
  const passed = verdicts.length - failed.length - unsupported.length;
  const features = new Set(unsupported.map(({ missing }) => missing));
  return {
    lines: [
      ...failed.map(({ name, difference }) => `FAILED ${name}: ${formatDifference(difference)}`),
      ...[...features].map((feature) => {
        const names = unsupported.filter((one) => one.missing === feature).map(({ name }) => name);
        return `unsupported (${feature}): ${names.join(', ')}`;
      }),
      ...[...notCompared].toSorted().map((field) => `not compared: ${field}`),
      `${passed} passed, ${failed.length} failed, ${unsupported.length} unsupported`,
    ],
    exitCode: failed.length > 0 || verdicts.length === 0 ? 1 : 0,
  };
}

function formatDifference({ path, expected, got }: Difference): string {
  return `${path}: expected ${formatValue(expected)}, got ${formatValue(got)}`;
}

const MAX_CHARACTERS = 300;

function formatValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
