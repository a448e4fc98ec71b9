import { describe, expect, it } from 'vitest';
import { copyStatements, isCopied } from './copy-rows.mjs';
import { DeskBench } from './desk-bench.mjs';
import { growthOf, growthTable } from './report.mjs';
import { openSqlite } from './sqlite.mjs';

const sizes = [1_000, 100_000].map((parked, index) => ({
  parked,
  samples: {
    list: [2, 20].map((ms) => ({ ms, queries: 3 })),
    search: [2, 20].map((ms) => ({ ms: ms * (1 + index / 2), queries: 3 })),
  },
}));

describe('growth of the desk', () => {
  it('is flat up to 1.3x of the smallest size', () => {
    const growth = growthOf(sizes);

    expect(growth.map(({ operation, isFlat }) => [operation, isFlat])).toEqual([
      ['list', true],
      ['search', false],
    ]);
    expect(growthTable(sizes, growth).at(-1)).toEqual([
      'search',
      '11.0',
      '16.5',
      '1.50x',
      '3',
      '3',
      'EXCEEDED',
    ]);
  });
});

describe('the benchmark of growth', () => {
  it('executes every operation', { timeout: 60_000 }, async () => {
    const opened = await openSqlite();
    const store = await opened.newStore(100);
    const bench = new DeskBench(store);
    try {
      await bench.prepare(100, 1);
      for await (const _ of bench.round());
    } finally {
      await store.close();
      await opened.close();
    }

    const operations = Object.keys(bench.times.samples);
    expect(operations).toContain('search with redaction, match');
    expect(operations).toContain('find and resume a due run');
    expect(operations).toHaveLength(15);
  });
});

describe('copies of a parked run', () => {
  it('have other ids and sequence numbers, and are older', () => {
    const columns = ['tenant', 'id', 'run_id', 'sequence', 'created_at'].map((name) => ({
      name,
      isText: !['sequence', 'created_at'].includes(name),
    }));
    const dialect = { series: (from, to) => `series(${from}, ${to})`, idOf: (id) => `new(${id})` };

    const statements = [...copyStatements(new Map([['desk_holds', columns]]), 2_001, dialect)];

    expect(statements.map((sql) => sql.match(/series\(.*\)/)?.[0])).toEqual([
      undefined,
      'series(1, 2000)',
      'series(2001, 2001)',
    ]);
    expect(statements[1]).toContain(
      'select "tenant", new("id"), new("run_id"), "sequence" + 1000 * n, "created_at" - n',
    );
  });

  it('leave out tables that belong to no run', () => {
    expect(['desk_runs', 'desk_meta', 'desk_migrations_lock', 'bare'].map(isCopied)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
