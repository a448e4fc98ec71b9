import { isPeer, LIMIT, OURS } from '../adapters/registry.mjs';
import { FIGURES } from './figures.mjs';

/**
 * The one table of a benchmark: a line for each figure, with the ratios to LIMIT and to the best of the
 * others, and our goals.
 *
 * `results[workload][key][adapter]` are summaries. Lines that nothing was measured for are left out, and
 * so are the columns of what is not there. Gives rows of texts, the head first.
 */
export function tableOf(results) {
  const ours = OURS.filter((adapter) => wasMeasured(results, adapter));
  const hasPeers = adaptersIn(results).some(isPeer);
  const perAdapter = ['to LIMIT', ...(hasPeers ? ['to best peer'] : []), 'goal'];
  const head = [
    'figure',
    'unit',
    'LIMIT',
    ...(hasPeers ? ['best peer'] : []),
    ...ours.flatMap((adapter) => [adapter, ...perAdapter]),
  ];
  const rows = FIGURES.filter((line) => hasFigures(line, results[line.workload])).map((line) =>
    rowOf(line, results[line.workload], { ours, hasPeers }),
  );
  return [head, ...rows];
}

const NONE = '–';

function rowOf(line, cells, { ours, hasPeers }) {
  const limit = line.hasNoLimit ? undefined : line.figure(cells, LIMIT);
  const best = hasPeers ? bestPeer(line, cells) : undefined;
  return [
    line.name,
    line.unit,
    show(limit),
    ...(hasPeers ? [best === undefined ? NONE : `${show(best.figure)} (${best.adapter})`] : []),
    ...ours.flatMap((adapter) => {
      const figure = line.figure(cells, adapter);
      const toLimit = line.toLimit?.(cells, adapter) ?? ratio(figure, limit);
      const goal = goalOf(line.goals[adapter], { figure, toLimit, cells, adapter });
      const toBest = hasPeers ? [times(ratio(figure, best?.figure))] : [];
      return [failureIn(line, cells, adapter) ?? show(figure), times(toLimit), ...toBest, goal];
    }),
  ];
}

/** Whoever did something else than was asked, and says so, is not compared with. */
function bestPeer(line, cells) {
  const peers = [...new Set(Object.values(cells).flatMap((cell) => Object.keys(cell)))]
    .filter((adapter) => isPeer(adapter) && !cells[line.key]?.[adapter]?.deviation)
    .map((adapter) => ({ adapter, figure: line.figure(cells, adapter) }))
    .filter(({ figure }) => figure !== undefined);
  return peers.toSorted((a, b) => a.figure - b.figure)[0];
}

function goalOf(goal, { figure, toLimit, cells, adapter }) {
  if (goal === undefined) return NONE;
  if (figure === undefined) return goal.says;
  return `${goal.says}: ${goal.isMet(figure, toLimit, cells, adapter) ? 'met' : 'MISSED'}`;
}

/** That one of ours failed must not look as if nobody had measured it. */
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

/** Three digits that count. */
export function show(number) {
  if (number === undefined) return NONE;
  if (number >= 100) return number.toFixed(0);
  return number.toFixed(number >= 10 ? 1 : 2);
}

/** Rows of texts in columns, for a terminal: the first `names` to the left, numbers to the right. */
export function asText(rows, names = 2) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const align = (cell, column) =>
    column < names ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  return rows.map((row) => row.map(align).join('  ')).join('\n');
}

/** Rows of texts as a table in Markdown. */
export function asMarkdown([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, column) => (column < 2 ? '---|' : '---:|')).join('')}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
