import { ClaimLostError } from '../errors/claim-lost-error.ts';
import { DecisionExpiredError } from '../errors/decision-expired-error.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { ObservedAttempt } from '../stream/run-streams.ts';
import { beginRun } from '../transitions/begin-run.ts';
import { failRun } from '../transitions/end-run.ts';
import { releaseRun } from '../transitions/release-run.ts';
import { reopenHolds } from '../transitions/reopen-holds.ts';
import { RunWriter } from '../transitions/run-writer.ts';
import { backoff } from '../worker/backoff.ts';
import type { TaskSignals } from '../worker/worker.ts';
import { isFinal, needsOperator, problemOf } from './problem-of.ts';
import { type ExecutionDeps, RunExecution } from './run-execution.ts';

/** Executes a claimed run until it parks, ends or is released, and stores its history after every step. */
export async function executeRun(
  deps: ExecutionDeps,
  claim: TaskClaim,
  signals: TaskSignals,
): Promise<void> {
  const attempt = deps.streams.attempt(claim.tenant, claim.id);
  try {
    await executeAttempt(deps, claim, signals, attempt);
  } finally {
    attempt.end();
  }
}

async function executeAttempt(
  deps: ExecutionDeps,
  claim: TaskClaim,
  signals: TaskSignals,
  attempt: ObservedAttempt,
): Promise<void> {
  const { store, maxAttempts, onError } = deps;
  const { tenant, id: runId } = claim;
  const writer = new RunWriter(store, claim, attempt.wrote);
  const begun = await beginRun(writer, maxAttempts, (error) =>
    onError(error, { tenant, runId, outcome: 'stuck' }),
  );
  if (begun === undefined) return reportIfStuck(deps, claim);
  const execution = new RunExecution(deps, writer, begun, attempt);
  try {
    const end = await execution.execute(signals);
    if (end === 'stopping') await releaseRun(writer, { delay: 0, maxAttempts });
  } catch (error) {
    if (execution.wasStopped) {
      await releaseRun(writer, { delay: 0, maxAttempts });
      return;
    }
    if (signals.lost.aborted) throw signals.lost.reason;
    if (error instanceof ClaimLostError) throw error;
    // The end of the run is stored, so a later failure does not change it.
    if (execution.hasEnded) onError(error, { tenant, runId });
    else await handleFailure(deps, writer, execution, error);
  }
}

/** Reports a run that has no attempts left. */
async function reportIfStuck(
  { store, onError }: ExecutionDeps,
  { tenant, id: runId }: TaskClaim,
): Promise<void> {
  const run = await store.read((tx) => tx.runs.get(tenant, runId));
  // A row that was changed in the database was reported when it was found.
  if (run?.state !== 'stuck' || run.error?.code === 'tampered') return;
  onError(new Error(run.error?.message), { tenant, runId, outcome: 'stuck' });
}

/** Ends a run that failed, or releases it for another attempt. */
async function handleFailure(
  { maxAttempts: limit, onError }: ExecutionDeps,
  writer: RunWriter,
  execution: RunExecution,
  error: unknown,
): Promise<void> {
  const { tenant, id: runId, attempts } = writer.claim;
  if (error instanceof DecisionExpiredError) {
    await reopenHolds(writer, execution.missedDeadlines);
    return;
  }
  const delay = backoff(attempts);
  if (error instanceof DeskError && error.code === 'unknown-agent') {
    // Another worker has the agent, so this is not a failure of the run.
    await releaseRun(writer, { delay, maxAttempts: limit });
    return;
  }
  const problem = problemOf(error);
  if (isFinal(error)) {
    onError(error, { tenant, runId, outcome: 'failed' });
    await failRun(writer, { ...execution.partialProgress(), problem });
    return;
  }
  const maxAttempts = needsOperator(error) ? 1 : limit;
  onError(error, { tenant, runId, outcome: attempts < maxAttempts ? 'retried' : 'stuck' });
  await releaseRun(writer, { delay, problem, maxAttempts });
}
