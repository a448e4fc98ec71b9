import { readFileSync } from 'node:fs';
import { type AuditProblem, verifyAudit } from '@holdpoint/desk';
import type { DeskClient } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import { Screen } from '../terminal/screen.ts';
import { findRun, shortId } from './find-id.ts';
import { printJson } from './print.ts';

/** What the audit of a run is verified by. */
export interface Verification {
  /** The id of the run, or its beginning. */
  readonly runId: string;
  /** Whose audit it must be; that of whoever asks, unless given. */
  readonly tenant: string | undefined;
  /** Files with checkpoints that were kept elsewhere. */
  readonly checkpoints: readonly string[];
  /** Files with the public keys of those, by the ids of the keys. */
  readonly keys: Readonly<Record<string, string>>;
  readonly isJson: boolean;
}

const PAGE = 1_000;

/** Verifies the audit of a run, and prints what came of it; gives the exit code. */
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
  // A checkpoint over all runs knows of others, too.
  const found = report.problems.filter((one) => one.runId === undefined || one.runId === runId);
  const problems = report.entries === 0 ? [...found, NOTHING] : found;
  const status = problems.length === 0 ? 'intact' : 'damaged';
  const { entries, signedEntries, blindSpots } = report;
  if (isJson) printJson({ status, runId, entries, signedEntries, problems, blindSpots });
  else show(runId, entries, problems, blindSpots);
  return status === 'intact' ? 0 : 1;
}

const NOTHING: AuditProblem = {
  kind: 'missing',
  message: 'There are no entries. Every run has one at least.',
};

async function* entriesOf(client: DeskClient, runId: string): AsyncGenerator<unknown> {
  for (let after = 0; ; ) {
    const entries = await client.audit(runId, { after, limit: PAGE });
    yield* entries;
    const last = entries.at(-1);
    // Numbers that do not go up would never end.
    if (last === undefined || entries.length < PAGE || last.number <= after) return;
    after = last.number;
  }
}

function show(
  runId: string,
  entries: number,
  problems: readonly AuditProblem[],
  blindSpots: readonly string[],
): void {
  const screen = new Screen(process.stdout);
  const count = `${entries} ${entries === 1 ? 'entry' : 'entries'} of run ${shortId(runId)}`;
  const isIntact = problems.length === 0;
  screen.plain(
    isIntact
      ? { text: `Intact: ${count}.`, style: ['bold', 'green'] }
      : { text: `Damaged: ${count}.`, style: ['bold', 'red'] },
    ...problems.map(({ message }) => ({
      text: message,
      label: { text: '  ✗ ', style: 'red' as const },
    })),
    { text: isIntact ? 'What this cannot show:' : 'What else could be:', style: 'dim' },
    ...blindSpots.map((text) => ({ text, style: 'dim' as const, label: { text: '  · ' } })),
  );
}

function readCheckpoints(path: string): unknown {
  const text = read(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`'${path}' holds no JSON, so no checkpoint.`, { cause: error });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`'${path}' cannot be read (${String(Object(error).code)}).`, {
      cause: error,
    });
  }
}
