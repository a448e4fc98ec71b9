import { isPeer, LIMIT, HOLDPOINT } from '../adapters/registry.mjs';
import { FIGURES } from './figures.mjs';

/**
 * Returns the table of a benchmark: a row for each figure, with the ratios to LIMIT and to the best peer,
 * and the goals of Holdpoint.
 *
 * `results[workload][key][adapter]` are summaries. Rows and columns without measurements are left out.
 * The first row is the head.
 */
export function tableOf(results) {
  const adapters = HOLDPOINT.filter((adapter) => wasMeasured(results, adapter));
  const hasPeers = adaptersIn(results).some(isPeer);
  const perAdapter = ['to LIMIT', ...(hasPeers ? ['to best peer'] : []), 'goal'];
  const head = [
    'figure',
    'unit',
    'LIMIT',
    ...(hasPeers ? ['best peer'] : []),
    ...adapters.flatMap((adapter) => [adapter, ...perAdapter]),
  ];
  const rows = FIGURES.filter((line) => hasFigures(line, results[line.workload])).map((line) =>
    rowOf(line, results[line.workload], { adapters, hasPeers }),
  );
  return [head, ...rows];
}

const NONE = '–';

function rowOf(line, cells, { adapters, hasPeers }) {
  const limit = line.hasNoLimit ? undefined : line.figure(cells, LIMIT);
  const best = hasPeers ? bestPeer(line, cells) : undefined;
  return [
    line.name,
    line.unit,
    show(limit),
    ...(hasPeers ? [best === undefined ? NONE : `${show(best.figure)} (${best.adapter})`] : []),
    ...adapters.flatMap((adapter) => {
      const figure = line.figure(cells, adapter);
      const toLimit = line.toLimit?.(cells, adapter) ?? ratio(figure, limit);
      const goal = goalOf(line.goals[adapter], { figure, toLimit, cells, adapter });
      const toBest = hasPeers ? [times(ratio(figure, best?.figure))] : [];
      return [failureIn(line, cells, adapter) ?? show(figure), times(toLimit), ...toBest, goal];
    }),
  ];
}

/** Returns the fastest peer. Peers with a known deviation are not comparable. */
function bestPeer(line, cells) {
  const peers = [...new Set(Object.values(cells).flatMap((cell) => Object.keys(cell)))]
    .filter((adapter) => isPeer(adapter) && !cells[line.key]?.[adapter]?.deviation)
    .map((adapter) => ({ adapter, figure: line.figure(cells, adapter) }))
    .filter(({ figure }) => figure !== undefined);
  return peers.toSorted((a, b) => a.figure - b.figure)[0];
}

function goalOf(goal, { figure, toLimit, cells, adapter }) {
  if (goal === undefined) return NONE;
  if (figure === undefined) return goal.text;
  return `${goal.text}: ${goal.isMet(figure, toLimit, cells, adapter) ? 'met' : 'MISSED'}`;
}

/** Returns the failure of an adapter. A case that was not measured has none. */
function failureIn({ key }, cells, adapter) {
  const { error, timeout, unsupported } = cells[key]?.[adapter] ?? {};
  if (error) return 'FAILED';
  if (timeout) return `> ${timeout} s`;
  return unsupported && 'cannot';
}

function hasFigures(line, cells = {}) {
  return Object.values(cells)
    .flatMap(Object.keys)
    .some((adapter) => line.figure(cells, adapter) !== undefined);
}

function wasMeasured(results, adapter) {
  return adaptersIn(results).includes(adapter);
}

function adaptersIn(results) {
  return Object.values(results).flatMap((cells) => Object.values(cells).flatMap(Object.keys));
}

function ratio(a, b) {
  return a === undefined || !b ? undefined : a / b;
}

function times(number) {
  return number === undefined ? NONE : `${show(number)}x`;
}

/** Formats a number with about three significant digits. */
export function show(number) {
  if (number === undefined) return NONE;
  if (number >= 100) return number.toFixed(0);
  return number.toFixed(number >= 10 ? 1 : 2);
}

/**
 * Formats rows as columns for a terminal. The first `names` columns are aligned left, the others
 * right.
 */
export function asText(rows, names = 2) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const align = (cell, column) =>
    column < names ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  return rows.map((row) => row.map(align).join('  ')).join('\n');
}

/** Formats rows as a table in Markdown. */
export function asMarkdown([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, column) => (column < 2 ? '---|' : '---:|')).join('')}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
