import { cpus } from 'node:os';
import { asMarkdown, asText } from '../../report/table.mjs';
import { failureOf, figuresOf } from './figures.mjs';
import { goalsOf } from './goals.mjs';
import { availableAmong } from './peers.mjs';
import { caseTable, goalTable, titleOf } from './report.mjs';
import { isDelayed, measureRounds } from './rounds.mjs';
import { Session } from './session.mjs';

/** Measures W8 and prints the figures and the goals. Returns true if everything executed and every goal is met. */
export async function runW8(options, installProblem) {
  const session = await Session.open();
  try {
    const available = await availableAmong(options.contestants, session, installProblem);
    const cases = await measureRounds(session, { ...options, contestants: available.names });
    const roundTrips = {};
    for (const delayMs of options.delays) roundTrips[delayMs] = await session.roundTripMs(delayMs);
    const version = await session.versionOfPostgres();
    return print(cases, { ...options, ...available, roundTrips, version });
  } finally {
    await session.close();
  }
}

function print(cases, { rounds, reasons, roundTrips, version, isMarkdown }) {
  const table = (rows) => console.log(`\n${isMarkdown ? asMarkdown(rows) : asText(rows, 1)}`);
  console.log(
    `W8, ${rounds} rounds, ${cpus().length} cores, Node ${process.versions.node}, PostgreSQL ${version}`,
  );
  for (const [delayMs, ms] of Object.entries(roundTrips)) {
    console.log(`A round trip with ${delayMs} ms of delay takes ${ms.toFixed(2)} ms.`);
  }
  const goals = [];
  for (const one of cases) {
    const figures = figuresOf(one);
    console.log(`\n${titleOf(one)}`);
    table(caseTable(figures));
    goals.push(...goalsOf(one, figures));
  }
  table(goalTable(goals));
  const failures = failuresOf(cases);
  for (const [name, reason] of reasons) console.log(`\nNot measured: ${name}: ${reason}.`);
  for (const name of undelayedNames(cases)) {
    console.log(`\nNot measured with a delay: ${name}: it does not use PostgreSQL.`);
  }
  for (const failure of failures) console.log(`\nFAILED: ${failure}`);
  return failures.length === 0 && goals.every(({ isMet }) => isMet);
}

function failuresOf(cases) {
  return cases.flatMap((one) =>
    Object.entries(one.samples)
      .filter(([, samples]) => failureOf(samples) !== undefined)
      .map(([name, samples]) => `${name}, ${titleOf(one)}: ${failureOf(samples)}`),
  );
}

function undelayedNames(cases) {
  const delayed = cases.filter(({ delayMs }) => delayMs > 0);
  if (delayed.length === 0) return [];
  const names = [...new Set(cases.flatMap(({ samples }) => Object.keys(samples)))];
  return names.filter((name) => !isDelayed(name, delayed[0].delayMs));
}
