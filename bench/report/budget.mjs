import { LIMIT } from '../adapters/registry.mjs';
import { isFailure } from '../harness/summary.mjs';
import { FIGURES } from './figures.mjs';
import { show } from './table.mjs';

/** The adapter that the budget applies to: the core on its own model port. */
const CORE = 'holdpoint';

/**
 * Compares the measurements of the core with its performance budget.
 *
 * The budget covers the cost of a step and of an approval relative to the bare loop, the cost of a
 * parallel call, and growth. Returns one entry for each limit that was measured; a failed measurement
 * exceeds its limit.
 */
export function budgetOf(results) {
  return FIGURES.filter(({ isBudget }) => isBudget).flatMap((figure) => {
    const cells = results[figure.workload] ?? {};
    const entry = budgetEntry(figure, cells);
    return entry === undefined ? [] : [entry];
  });
}

function budgetEntry({ name, key, figure, toLimit, goals }, cells) {
  const { text: limit, isMet } = goals[CORE];
  const summary = cells[key]?.[CORE];
  if (summary === undefined) return undefined;
  if (isFailure(summary)) return { name, limit, measured: 'FAILED', isMet: false };

  const value = figure(cells, CORE);
  const ratio = toLimit?.(cells, CORE) ?? value / figure(cells, LIMIT);
  const isRelative = limit.endsWith('x LIMIT');
  if (value === undefined || (isRelative && ratio === undefined)) return undefined;
  const measured = isRelative ? `${show(ratio)}x` : show(value);
  return { name, limit, measured, isMet: isMet(value, ratio, cells, CORE) };
}

/** Returns the rows of the budget as a table, the head first. */
export function budgetTable(budget) {
  const rows = budget.map(({ name, limit, measured, isMet }) => [
    name,
    limit,
    measured,
    isMet ? 'within budget' : 'EXCEEDED',
  ]);
  return [['budget of the core', 'limit', 'measured', ''], ...rows];
}
