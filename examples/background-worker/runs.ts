// Runs that are parked until their jobs are done.
import type { DatabaseSync } from 'node:sqlite';
import {
  type ExternalResult,
  type DeferredToolRequests,
  DeferredToolResults,
  messageCodec,
  requestsCodec,
  type RunResultOf,
  ToolFailed,
} from 'holdpoint';
import { editor, type output } from './agent.ts';
import { type JobResult, resultOf } from './jobs.ts';

/** Starts a run and stores it. */
export async function startRun(database: DatabaseSync, prompt: string): Promise<string> {
  const result = await editor.run(prompt, { deps: { database } });
  save(database, result.runId, result);
  return result.runId;
}

/** Resumes all runs whose jobs are done; returns their ids. */
export async function resumeRuns(database: DatabaseSync): Promise<string[]> {
  const ids: string[] = [];
  const rows = database.prepare(`SELECT id, requests FROM runs WHERE status = 'parked'`).all();
  for (const row of rows) {
    const id = String(row['id']);
    const requests = requestsCodec.parse(String(row['requests']));
    const results = collect(database, requests);
    if (requests.remaining(results) !== undefined) continue;
    if (await resume(database, id, results)) ids.push(id);
  }
  return ids;
}

/** Returns the results so far. */
function collect(database: DatabaseSync, requests: DeferredToolRequests): DeferredToolResults {
  const results = new DeferredToolResults();
  for (const { toolCallId } of requests.calls) {
    const result = resultOf(database, String(requests.metadata[toolCallId]?.['jobId']));
    if (result !== undefined) results.calls[toolCallId] = toResult(result);
  }
  return results;
}

function toResult(result: JobResult): ExternalResult {
  return result.ok ? { words: result.words } : new ToolFailed(result.reason);
}

/** Resumes one run, unless another process has claimed it. */
async function resume(
  database: DatabaseSync,
  id: string,
  results: DeferredToolResults,
): Promise<boolean> {
  const claimed = database
    .prepare(
      `UPDATE runs SET status = 'resuming' WHERE id = ? AND status = 'parked' RETURNING messages`,
    )
    .get(id);
  if (claimed === undefined) return false;
  const messages = messageCodec.parse(String(claimed['messages']));
  save(database, id, await editor.resume({ messages }, results, { deps: { database } }));
  return true;
}

function save(database: DatabaseSync, id: string, result: RunResultOf<typeof output>): void {
  const isParked = result.status === 'parked';
  database
    .prepare('INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)')
    .run(
      id,
      isParked ? 'parked' : 'finished',
      messageCodec.stringify(result.messages),
      isParked ? requestsCodec.stringify(result.output) : null,
      isParked ? null : result.output,
    );
}
