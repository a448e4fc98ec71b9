import { show } from '../report/table.mjs';

const NONE = '–';

/**
 * Returns figures as a table, the head first: CPU time and bytes per operation, with their ratios
 * to `baseline` and to the figures in `earlier`.
 */
export function microTable(benchmarks, figures, { baseline, earlier }) {
  const withBaseline = baseline === undefined ? [] : ['to plain', 'to plain, bytes'];
  const withEarlier = earlier === undefined ? [] : ['to earlier', 'to earlier, bytes'];
  const head = ['benchmark', 'per', 'ns', 'bytes', ...withBaseline, ...withEarlier];
  const rows = benchmarks.map(({ name, unit }) => {
    const figure = figures[name];
    return [
      name,
      unit,
      whole(figure.ns),
      whole(figure.bytes),
      ...withBaseline.flatMap((_, i) => ratios(figure, figures[baseline])[i]),
      ...withEarlier.flatMap((_, i) => ratios(figure, earlier?.[name])[i]),
    ];
  });
  return [head, ...rows];
}

function ratios(figure, other) {
  return [ratio(figure.ns, other?.ns), ratio(figure.bytes, other?.bytes)];
}

function ratio(a, b) {
  return a === undefined || !b ? NONE : `${show(a / b)}x`;
}

function whole(number) {
  return number === undefined ? NONE : Math.round(number).toLocaleString('en-US');
}
