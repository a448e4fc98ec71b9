// Runs that wait for jobs, and how they go on.
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

/** Starts a run, and keeps it until the workers are done. */
export async function startRun(database: DatabaseSync, prompt: string): Promise<string> {
  const result = await editor.run(prompt, { deps: { database } });
  keep(database, result.runId, result);
  return result.runId;
}

/** Goes on with all runs whose jobs are done; gives their ids. */
export async function goOn(database: DatabaseSync): Promise<string[]> {
  const ids: string[] = [];
  const rows = database.prepare(`SELECT id, requests FROM runs WHERE status = 'waiting'`).all();
  for (const row of rows) {
    const id = String(row['id']);
    const requests = requestsCodec.parse(String(row['requests']));
    const results = collect(database, requests);
    if (requests.remaining(results) !== undefined) continue; // not all of them yet
    if (await resume(database, id, results)) ids.push(id);
  }
  return ids;
}

/** What has been delivered for the calls so far. */
function collect(database: DatabaseSync, requests: DeferredToolRequests): DeferredToolResults {
  const results = new DeferredToolResults();
  for (const { toolCallId } of requests.calls) {
    const result = resultOf(database, String(requests.metadata[toolCallId]?.['jobId']));
    if (result !== undefined) results.calls[toolCallId] = toAnswer(result);
  }
  return results;
}

function toAnswer(result: JobResult): ExternalResult {
  return result.ok ? { words: result.words } : new ToolFailed(result.reason);
}

/** Goes on with one run, unless somebody else has it. */
async function resume(
  database: DatabaseSync,
  id: string,
  results: DeferredToolResults,
): Promise<boolean> {
  const taken = database
    .prepare(
      `UPDATE runs SET status = 'resuming' WHERE id = ? AND status = 'waiting' RETURNING messages`,
    )
    .get(id);
  if (taken === undefined) return false;
  const messages = messageCodec.parse(String(taken['messages']));
  keep(database, id, await editor.resume({ messages }, results, { deps: { database } }));
  return true;
}

function keep(database: DatabaseSync, id: string, result: RunResultOf<typeof output>): void {
  const waits = result.status === 'parked';
  database
    .prepare('INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)')
    .run(
      id,
      waits ? 'waiting' : 'finished',
      messageCodec.stringify(result.messages),
      waits ? requestsCodec.stringify(result.output) : null,
      waits ? null : result.output,
    );
}
