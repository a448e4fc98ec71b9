import { UserError } from 'holdpoint';
import { checkOptions, kindOf, requireText } from '../model/check-keys.ts';
import { AuditProblems, type AuditProblem } from './audit-problem.ts';
import { type AuditKeyLike, verifyingKey } from './audit-key.ts';
import { blindSpots } from './blind-spots.ts';
import { checkCheckpoint } from './check-checkpoint.ts';
import type { AuditCheckpoint } from './checkpoint.ts';
import { readEntry } from './read-entry.ts';
import { RunChain } from './run-chain.ts';
import { SignedHeads } from './signed-heads.ts';

/** Options of `verifyAudit`. The entries may come from a file. */
export interface VerifyAuditOptions {
  /** The tenant that the audit must belong to. */
  readonly tenant: string;
  /** The entries, those of one run in order: from `exportAudit`, or from a file by `fromAuditLines`. */
  readonly entries: Iterable<unknown> | AsyncIterable<unknown>;
  /** Checkpoints that a person with access to the database could not change. */
  readonly checkpoints?: readonly unknown[] | undefined;
  /** The public keys that checkpoints were signed with, by their ids. */
  readonly publicKeys?: Readonly<Record<string, AuditKeyLike>> | undefined;
}

/** The result of a verification. */
export interface AuditReport {
  /** `intact` if no problem was found. */
  readonly status: 'intact' | 'damaged';
  /** The problems, a thousand at most. */
  readonly problems: readonly AuditProblem[];
  readonly runs: number;
  readonly entries: number;
  /** The number of signed entries. */
  readonly signedEntries: number;
  /** The time of the last checkpoint of all runs of the tenant; `undefined` without one. */
  readonly signedUntil: number | undefined;
  /** Sentences about changes of the audit that this report cannot show. */
  readonly blindSpots: readonly string[];
}

/**
 * Finds every entry that was edited, added, removed or moved within its run, up to the last given
 * checkpoint. Also finds runs that were removed since the last checkpoint over all runs.
 */
export async function verifyAudit(options: VerifyAuditOptions): Promise<AuditReport> {
  checkVerifyOptions(options);
  const { tenant } = options;
  const problems = new AuditProblems();
  const signed = new SignedHeads(believed(options, problems));
  const chains = new Map<string, RunChain>();
  let entries = 0;
  let signedEntries = 0;
  for await (const value of options.entries) {
    const entry = readEntry(value);
    if (entry?.tenant !== tenant) {
      const message = `The value after ${entries} entries is not an audit entry of tenant \`${tenant}\`.`;
      problems.add('not-an-entry', message);
      continue;
    }
    const chain = chains.get(entry.runId) ?? new RunChain(entry.runId, signed, problems);
    chains.set(entry.runId, chain);
    chain.follow(entry);
    entries += 1;
    if (entry.number <= signed.lastOf(entry.runId)) signedEntries += 1;
  }
  for (const chain of chains.values()) chain.requireErasureRecord();
  const runs = chains.size;
  for (const runId of signed.runIds) {
    (chains.get(runId) ?? new RunChain(runId, signed, problems)).end();
  }
  return Object.freeze({
    status: problems.all.length === 0 ? 'intact' : 'damaged',
    problems: problems.all,
    runs,
    entries,
    signedEntries,
    signedUntil: signed.allUntil,
    blindSpots: blindSpots({ entries, signedEntries, signedUntil: signed.allUntil }),
  });
}

/** A misspelt option would be ignored, and the audit would be verified without checkpoints. */
function checkVerifyOptions(options: VerifyAuditOptions): void {
  checkOptions<VerifyAuditOptions>('`verifyAudit`', options, {
    tenant: true,
    entries: true,
    checkpoints: true,
    publicKeys: true,
  });
  requireText('`tenant` of `verifyAudit`', options.tenant);
  // Programs without types pass anything.
  const entries: unknown = Object(options.entries);
  const isIterable = [Symbol.iterator, Symbol.asyncIterator].some(
    (name) => typeof Reflect.get(Object(entries), name) === 'function',
  );
  if (!isIterable || typeof options.entries === 'string') {
    throw new UserError(
      `\`entries\` of \`verifyAudit\` is ${kindOf(options.entries)}. Pass the entries of \`exportAudit\` or \`fromAuditLines\`.`,
    );
  }
  for (const name of ['checkpoints', 'publicKeys'] as const) {
    const given: unknown = options[name];
    const isRight =
      name === 'checkpoints' ? Array.isArray(given) : typeof given === 'object' && given !== null;
    if (given === undefined || isRight) continue;
    throw new UserError(
      `\`${name}\` of \`verifyAudit\` is ${kindOf(given)}. Pass ${name === 'checkpoints' ? 'a list' : 'a record of keys by their ids'}.`,
    );
  }
}

/** Returns the valid checkpoints. Invalid ones are problems. */
function believed(options: VerifyAuditOptions, problems: AuditProblems): AuditCheckpoint[] {
  const { tenant, checkpoints = [], publicKeys = {} } = options;
  const keys = new Map(
    Object.entries(publicKeys).map(([id, key]) => [id, verifyingKey(id, key)] as const),
  );
  return checkpoints.flatMap((value, index) => {
    const { checkpoint, problem } = checkCheckpoint(value, tenant, keys);
    if (checkpoint !== undefined) return [checkpoint];
    problems.add('bad-checkpoint', `Checkpoint ${index + 1} is invalid. ${problem}`);
    return [];
  });
}
