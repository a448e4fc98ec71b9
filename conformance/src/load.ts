import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from './scenario.ts';
import type { UnitCases } from './units.ts';

/** A folder of cases. */
export interface Suite {
  readonly scenarios: readonly Scenario[];
  readonly units: UnitCases;
}

/** Reads the vectors of a folder, from `vectors/` or from the folder itself, and its `units.json`. */
export function loadSuite(directory: string): Suite {
  const inner = join(directory, 'vectors');
  const vectors = existsSync(inner) ? inner : directory;
  const files = readdirSync(vectors).filter(
    (file) => file.endsWith('.json') && file !== 'units.json',
  );
  const units = join(directory, 'units.json');
  return {
    scenarios: files.toSorted().map((file) => readJson(join(vectors, file)) as Scenario),
    units: existsSync(units) ? (readJson(units) as UnitCases) : {},
  };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Cannot read ${path}: ${String(error)}`, { cause: error });
  }
}
