import { sameTextPattern } from './text-pattern.ts';

/** A part of the observed behaviour that differs from the expected one. */
export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/**
 * A comparison of observations with the expectations of a vector. It records fields that it does
 * not compare.
 */
export class Comparison {
  /** Fields of `expected` that were not compared, without their positions. */
  readonly notCompared = new Set<string>();

  /** Returns the first difference between two values, by the rules of the vectors. */
  firstDifference(expected: unknown, got: unknown, path: string): Difference | undefined {
    if (typeof expected === 'string') return this.#text(expected, got, path);
    if (Array.isArray(expected) && Array.isArray(got)) return this.#list(expected, got, path);
    if (isRecord(expected) && isRecord(got)) return this.#record(expected, got, path);
    return Object.is(expected, got) ? undefined : { path, expected, got };
  }

  /** Compares two lists without their order. Returns the first item without a counterpart. */
  unordered(
    expected: readonly unknown[],
    got: readonly unknown[],
    path: string,
  ): Difference | undefined {
    const rest = [...got];
    for (const [index, item] of expected.entries()) {
      const at = `${path}[${index}]`;
      const match = rest.findIndex((one) => this.firstDifference(item, one, at) === undefined);
      if (match < 0) return { path: at, expected: item, got: rest };
      rest.splice(match, 1);
    }
    return rest.length === 0 ? undefined : { path, expected: 'nothing more', got: rest };
  }

  /** Records that a field of `expected` is not compared. */
  recordNotCompared(path: string): void {
    this.notCompared.add(path.replaceAll(/\[\d+\]/g, '[]'));
  }

  #text(expected: string, got: unknown, path: string): Difference | undefined {
    const same =
      typeof got === 'string' &&
      (path.endsWith('.args') ? sameJsonText(expected, got) : sameTextPattern(expected, got));
    return same ? undefined : { path, expected, got };
  }

  #list(
    expected: readonly unknown[],
    got: readonly unknown[],
    path: string,
  ): Difference | undefined {
    for (const [index, item] of expected.entries()) {
      const at = `${path}[${index}]`;
      if (index >= got.length) return { path: at, expected: item, got: undefined };
      const difference = this.firstDifference(item, got[index], at);
      if (difference) return difference;
    }
    const extra = expected.length;
    return extra < got.length
      ? { path: `${path}[${extra}]`, expected: undefined, got: got[extra] }
      : undefined;
  }

  #record(expected: Fields, got: Fields, path: string): Difference | undefined {
    if (isAvailabilityNotice(expected, got)) return undefined;
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const at = `${path}.${key}`;
      if (isSynthesized(expected) && key === 'metadata') {
        if (key in expected) this.recordNotCompared(at);
        continue;
      }
      const difference =
        key === 'content' && isIssueList(expected)
          ? this.#issues(expected['content'], got['content'], at)
          : this.firstDifference(own(expected, key), own(got, key), at);
      if (difference) return difference;
    }
    return undefined;
  }

  /**
   * Compares validation errors by location and input, in any order. Their texts differ between
   * libraries.
   */
  #issues(expected: readonly Fields[], got: unknown, path: string): Difference | undefined {
    if (!Array.isArray(got)) return { path, expected, got };
    for (const issue of expected) {
      for (const key of Object.keys(issue)) {
        if (key !== 'loc' && key !== 'input') this.recordNotCompared(`${path}[0].${key}`);
      }
    }
    const compared = ({ loc, input }: Fields) => ({ loc, input });
    return this.unordered(expected.map(compared), got.map(compared), path);
  }
}

type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Compares JSON texts by value, and other texts by their characters. */
function sameJsonText(expected: string, got: string): boolean {
  if (expected === got) return true;
  try {
    return (
      new Comparison().firstDifference(JSON.parse(expected), JSON.parse(got), '') === undefined
    );
  } catch {
    return false;
  }
}

function isIssueList(part: Fields): part is Fields & { content: readonly Fields[] } {
  return part['kind'] === 'retry-prompt' && Array.isArray(part['content']);
}

/** Returns true for a result that the framework wrote because the call had none. */
function isSynthesized(part: Fields): boolean {
  return part['kind'] === 'tool-return' && part['outcome'] === 'interrupted';
}

/**
 * Returns true for an announcement of new tools. The reference sends it as a user prompt, Holdpoint
 * as its own part.
 */
function isAvailabilityNotice(expected: Fields, got: Fields): boolean {
  return (
    got['kind'] === 'tool-availability-delta' &&
    expected['kind'] === 'user-prompt' &&
    expected['content'] === '<text>'
  );
}
