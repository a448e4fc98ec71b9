import { sameTextPattern } from './text-pattern.ts';

/** The first place where what happened is not what was expected. */
export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** Compares observations with the expectations of a vector, and records the fields it leaves out. */
export class Comparison {
  /** Fields of `expected` that were not compared, without their positions. */
  readonly notCompared = new Set<string>();

  /** The first difference between two values; every rule of the vectors' own is in here. */
  first(expected: unknown, got: unknown, path: string): Difference | undefined {
    if (typeof expected === 'string') return this.#text(expected, got, path);
    if (Array.isArray(expected) && Array.isArray(got)) return this.#list(expected, got, path);
    if (isRecord(expected) && isRecord(got)) return this.#record(expected, got, path);
    return Object.is(expected, got) ? undefined : { path, expected, got };
  }

  /** The first item that has no counterpart, where the order of items does not matter. */
  unordered(
    expected: readonly unknown[],
    got: readonly unknown[],
    path: string,
  ): Difference | undefined {
    const rest = [...got];
    for (const [index, item] of expected.entries()) {
      const at = `${path}[${index}]`;
      const match = rest.findIndex((one) => this.first(item, one, at) === undefined);
      if (match < 0) return { path: at, expected: item, got: rest };
      rest.splice(match, 1);
    }
    return rest.length === 0 ? undefined : { path, expected: 'nothing more', got: rest };
  }

  /** Says that a field of `expected` is left out. */
  leaveOut(path: string): void {
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
      const difference = this.first(item, got[index], at);
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
        if (key in expected) this.leaveOut(at);
        continue;
      }
      const difference =
        key === 'content' && isIssueList(expected)
          ? this.#issues(expected['content'], got['content'], at)
          : this.first(own(expected, key), own(got, key), at);
      if (difference) return difference;
    }
    return undefined;
  }

  /** Compares validation errors by their place and input, in any order; their wording is each library's own. */
  #issues(expected: readonly Fields[], got: unknown, path: string): Difference | undefined {
    if (!Array.isArray(got)) return { path, expected, got };
    for (const issue of expected) {
      for (const key of Object.keys(issue)) {
        if (key !== 'loc' && key !== 'input') this.leaveOut(`${path}[0].${key}`);
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

/** JSON text is the same if it says the same; other text only if it is the same. */
function sameJsonText(expected: string, got: string): boolean {
  if (expected === got) return true;
  try {
    return new Comparison().first(JSON.parse(expected), JSON.parse(got), '') === undefined;
  } catch {
    return false;
  }
}

function isIssueList(part: Fields): part is Fields & { content: readonly Fields[] } {
  return part['kind'] === 'retry-prompt' && Array.isArray(part['content']);
}

/** A return that the framework wrote because a call never got one. */
function isSynthesized(part: Fields): boolean {
  return part['kind'] === 'tool-return' && part['outcome'] === 'interrupted';
}

/** The reference announces new tools in a user prompt; a model port may receive the part itself. */
function isAvailabilityNotice(expected: Fields, got: Fields): boolean {
  return (
    got['kind'] === 'tool-availability-delta' &&
    expected['kind'] === 'user-prompt' &&
    expected['content'] === '<text>'
  );
}
