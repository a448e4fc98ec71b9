import { describe, expect, it } from 'vitest';
import { readEntryPoints } from './support/entry-points.ts';
import { exportedNames } from './support/undocumented.ts';

const entryPoints = [...readEntryPoints()];
const exportsOfEntries = exportedNames(entryPoints.map(([, file]) => file));
const names = entryPoints.map(([entry], index) => [entry, exportsOfEntries[index] ?? []] as const);

describe('entry points of the package', () => {
  it('export at most 120 names at the root, types included', () => {
    const root = names.find(([entry]) => entry === 'holdpoint')?.[1] ?? [];

    expect(root).toContain('Agent');
    expect(root.length).toBeLessThanOrEqual(120);
  });

  it('export every name from one place only', () => {
    const places = new Map<string, string[]>();
    for (const [entry, exported] of names) {
      for (const name of exported) places.set(name, [...(places.get(name) ?? []), entry]);
    }

    expect([...places].filter(([, entries]) => entries.length > 1)).toEqual([]);
  });
});
