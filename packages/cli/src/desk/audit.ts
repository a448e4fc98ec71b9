import { readFileSync } from 'node:fs';
import { type AuditProblem, verifyAudit } from '@holdpoint/desk';
import type { AuditView, DeskClient } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import type { Line } from '../terminal/lines.ts';
import { Screen } from '../terminal/screen.ts';
import { findRun, shortId } from './find-id.ts';
import { personText, printJson, printJsonLine } from './format.ts';

const PAGE = 500;

/** Prints the audit entries of a run. */
export async function showAudit(client: DeskClient, typed: string, isJson: boolean): Promise<void> {
  const runId = await findRun(client, typed);
  const screen = new Screen(process.stdout);
  for await (const entry of entriesOf(client, runId)) {
    if (isJson) {
      printJsonLine(entry);
      continue;
    }
    screen.plain(entryLine(entry));
  }
}

/** The width of the longest kind of entry that is frequent. */
const KIND_WIDTH = 16;

function entryLine({ number, at, kind, by, data }: AuditView): Line {
  const { holdId } = data;
  const facts = [
    ...(typeof holdId === 'string' ? [`hold ${shortId(holdId)}`] : []),
    ...(by === undefined ? [] : [`by ${personText(by)}`]),
  ];
  return {
    text: facts.join(', '),
    label: [
      { text: `${String(number).padStart(4)}  ${at}  `, style: 'dim' },
      { text: facts.length === 0 ? kind : `${kind.padEnd(KIND_WIDTH)}  ` },
    ],
  };
}

/** Input of a verification. */
export interface Verification {
  /** The id of the run or its first characters. */
  readonly runId: string;
  /** The tenant that the audit must belong to; the caller's tenant if missing. */
  readonly tenant: string | undefined;
  /** Files with checkpoints that were stored outside of the desk. */
  readonly checkpoints: readonly string[];
  /** Files with public keys, by the ids of the keys. */
  readonly keys: Readonly<Record<string, string>>;
  readonly isJson: boolean;
}

/** Verifies the audit of a run and prints the report; returns the exit code. */
export async function verifyRun(client: DeskClient, verification: Verification): Promise<number> {
  const { checkpoints, keys, isJson } = verification;
  const tenant = verification.tenant ?? (await client.me()).tenant;
  const runId = await findRun(client, verification.runId);
  const report = await verifyAudit({
    tenant,
    entries: entriesOf(client, runId),
    checkpoints: checkpoints.flatMap((path) => [readCheckpoints(path)].flat()),
    publicKeys: Object.fromEntries(Object.entries(keys).map(([id, path]) => [id, read(path)])),
  });
  // A checkpoint over all runs also covers runs that were not read.
  const found = report.problems.filter((one) => one.runId === undefined || one.runId === runId);
  const problems = report.entries === 0 ? [...found, NO_ENTRIES] : found;
  const status = problems.length === 0 ? 'intact' : 'damaged';
  const { entries, signedEntries, blindSpots } = report;
  if (isJson) printJson({ status, runId, entries, signedEntries, problems, blindSpots });
  else printReport(runId, entries, problems, blindSpots);
  return status === 'intact' ? 0 : 1;
}

const NO_ENTRIES: AuditProblem = {
  kind: 'missing',
  message: 'There are no entries, but every run has at least one.',
};

async function* entriesOf(client: DeskClient, runId: string): AsyncGenerator<AuditView> {
  let after: string | undefined;
  do {
    const page = await client.audit(runId, { after, limit: PAGE });
    yield* page.items;
    // A cursor that does not change would read the same page forever.
    after = page.next === after ? undefined : page.next;
  } while (after !== undefined);
}

function printReport(
  runId: string,
  entries: number,
  problems: readonly AuditProblem[],
  blindSpots: readonly string[],
): void {
  const count = `${entries} ${entries === 1 ? 'entry' : 'entries'} of run ${shortId(runId)}`;
  const isIntact = problems.length === 0;
  new Screen(process.stdout).plain(
    isIntact
      ? { text: `Intact: ${count}.`, style: ['bold', 'green'] }
      : { text: `Damaged: ${count}.`, style: ['bold', 'red'] },
    ...problems.map(({ message }) => ({
      text: message,
      label: { text: '  ✗ ', style: 'red' as const },
    })),
    { text: 'Not covered by this verification:', style: 'dim' },
    ...blindSpots.map((text) => ({ text, style: 'dim' as const, label: { text: '  · ' } })),
  );
}

function readCheckpoints(path: string): unknown {
  const text = read(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`\`${path}\` is not JSON. Pass a checkpoint file with \`--checkpoint\`.`, {
      cause: error,
    });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = String(Object(error).code);
    throw new UserError(`Cannot read \`${path}\` (${code}). Check the path.`, { cause: error });
  }
}
