import { show } from '../../report/table.mjs';

const NONE = '–';

const HEAD = [
  'contestant',
  'start to parked, ms',
  'decision, ms',
  'resume to finished, ms',
  'run, ms',
  'runs/s',
  'CPU client + server, ms',
  'wall to LIMIT',
  'CPU to LIMIT',
  'wall to best peer',
  'CPU to best peer',
];

/** Returns the table of one case, a row for each contestant. The first row is the head. */
export function caseTable(figures) {
  return [HEAD, ...Object.entries(figures).map(([name, figure]) => rowOf(name, figure))];
}

function rowOf(name, figure) {
  if (figure.failure !== undefined) return [name, 'FAILED', ...HEAD.slice(2).map(() => NONE)];
  const { parkMs, decisionMs, resumeMs, wallMs, clientMs, serverMs } = figure;
  return [
    name,
    ...[parkMs, decisionMs, resumeMs, wallMs, 1_000 / wallMs].map(show),
    `${show(clientMs)} + ${show(serverMs)}`,
    ...[figure.wallToLimit, figure.cpuToLimit, figure.wallToPeer, figure.cpuToPeer].map(times),
  ];
}

/** Returns the table of goals. */
export function goalTable(goals) {
  return [
    ['goal', 'case', 'limit', 'measured', 'lowest and highest round', 'result'],
    ...goals.map(({ name, delayMs, concurrency, what, max, measured, rounds, isMet }) => [
      `${name}: ${what}`,
      titleOf({ delayMs, concurrency }),
      `${max}x`,
      times(measured),
      rounds.length === 0 ? NONE : `${times(Math.min(...rounds))} to ${times(Math.max(...rounds))}`,
      isMet ? 'met' : 'EXCEEDED',
    ]),
  ];
}

export function titleOf({ delayMs, concurrency }) {
  const delay = delayMs === 0 ? '' : `, ${delayMs} ms more per round trip`;
  return `${concurrency} at a time${delay}`;
}

function times(ratio) {
  return ratio === undefined ? NONE : `${show(ratio)}x`;
}
