import {
  type JsonValue,
  type Message,
  type ParkedResult,
  type RunIterator,
  type RunResult,
  RunUsage,
  type Step,
  type ToolCallPart,
} from 'holdpoint';
import type { CallToVerify } from 'holdpoint/deferral';
import type { SpentUsage } from 'holdpoint/messages';
import { ClaimLostError } from '../errors/claim-lost-error.ts';
import { DecisionLapsedError } from '../errors/decision-lapsed-error.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { ReportError } from '../errors/report-error.ts';
import { WorkerStoppedError } from '../errors/worker-stopped-error.ts';
import { CallDeadlines } from '../ledger/call-deadlines.ts';
import { storeLedger } from '../ledger/store-ledger.ts';
import { toJson } from '../model/json.ts';
import type { RunRow } from '../model/run-row.ts';
import { callArgs } from '../redaction/calls-in.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { TaskClaim } from '../model/task-row.ts';
import type { Store } from '../store/store.ts';
import { type BegunRun, beginRun } from '../transitions/begin-run.ts';
import { checkpointRun, type Progress } from '../transitions/checkpoint-run.ts';
import { failRun, finishRun } from '../transitions/end-run.ts';
import { giveBackRun } from '../transitions/give-back-run.ts';
import { parkRun } from '../transitions/park-run.ts';
import { applyRules, recordSecrets } from '../transitions/record-secrets.ts';
import { reopenHolds } from '../transitions/reopen-holds.ts';
import { backoff } from '../worker/backoff.ts';
import type { TaskSignals } from '../worker/worker.ts';
import type { InsideAgent } from './desk-agent.ts';
import { HistoryWriter } from './history-writer.ts';
import { newHolds } from './new-holds.ts';
import { isApproved } from '../approvers/is-approved.ts';
import type { Policy } from '../approvers/policy.ts';
import { isFinal, needsSomebody, problemOf } from './problem-of.ts';
import { promptOf } from './prompt-text.ts';
import { requireAsShown } from './require-as-shown.ts';
import { resultsOfHolds } from './results-of-holds.ts';

/** What is needed to go on with runs. */
export interface RunSurroundings {
  readonly store: Store;
  readonly agents: Readonly<Record<string, InsideAgent>>;
  readonly lease: number;
  readonly mostTries: number;
  readonly toolTimeout: number;
  readonly policy: Policy;
  readonly redaction: Redaction;
  readonly onError: ReportError;
}

/** Takes a claimed run to where it parks or ends, storing its history after every step. */
export async function goOn(
  surroundings: RunSurroundings,
  claim: TaskClaim,
  signals: TaskSignals,
): Promise<void> {
  const { store, mostTries } = surroundings;
  const { tenant, id: runId } = claim;
  const begun = await beginRun(store, claim, mostTries, (error) =>
    surroundings.onError(error, { tenant, runId, outcome: 'stuck' }),
  );
  if (begun === undefined) return reportIfStuck(surroundings, claim);
  const going = new GoingRun(surroundings, claim, begun);
  try {
    const stop = await going.goOn(signals);
    if (stop === 'stopping') await giveBackRun(store, claim, { delay: 0, mostTries });
  } catch (error) {
    if (going.wasStopped) return void (await giveBackRun(store, claim, { delay: 0, mostTries }));
    if (error instanceof ClaimLostError || signals.lost.aborted) throw new ClaimLostError();
    // What cannot be put away afterwards does not undo what is stored.
    if (going.hasEnded) surroundings.onError(error, { tenant, runId });
    else await going.failWith(error);
  }
}

/** A run that was tried too often is set aside without another attempt. */
async function reportIfStuck(
  { store, onError }: RunSurroundings,
  { tenant, id: runId }: TaskClaim,
): Promise<void> {
  const run = await store.read((tx) => tx.runs.get(tenant, runId));
  // A row that was changed in the database is reported when it is found.
  if (run?.state !== 'stuck' || run.error?.code === 'tampered') return;
  onError(new Error(run.error?.message), { tenant, runId, outcome: 'stuck' });
}

/** A run while this worker has it. */
class GoingRun {
  readonly #surroundings: RunSurroundings;
  readonly #claim: TaskClaim;
  readonly #begun: BegunRun;
  #history: HistoryWriter | undefined;
  #iterator: RunIterator<RunResult | ParkedResult> | undefined;
  readonly #deadlines: CallDeadlines;
  readonly #aborting = new AbortController();
  /** Whether the step under way is a model request, which can be aborted and repeated. */
  #isAskingModel = false;
  /** Whether it is stored how the run has parked or ended. */
  hasEnded = false;

  constructor(surroundings: RunSurroundings, claim: TaskClaim, begun: BegunRun) {
    this.#surroundings = surroundings;
    this.#claim = claim;
    this.#begun = begun;
    this.#deadlines = new CallDeadlines(begun.settled);
  }

  /** Whether the run was aborted because the worker stops, and is neither parked nor ended. */
  get wasStopped(): boolean {
    return !this.hasEnded && this.#aborting.signal.reason instanceof WorkerStoppedError;
  }

  async goOn(signals: TaskSignals): Promise<'done' | 'stopping'> {
    const forget = this.#abortWith(signals);
    try {
      return await this.#execute(signals.stopping);
    } finally {
      forget();
    }
  }

  async #execute(stopping: AbortSignal): Promise<'done' | 'stopping'> {
    await this.#applyRules();
    const history = new HistoryWriter(this.#begun.messages);
    this.#history = history;
    const iterator = await this.#start(history, this.#aborting.signal);
    this.#iterator = iterator;
    for await (const step of iterator) {
      this.#isAskingModel = false;
      if (step.kind === 'finished' || step.kind === 'parked') {
        await this.#end(iterator, history);
        this.hasEnded = true;
        return 'done';
      }
      await this.#checkpoint(iterator, history, step);
      if (stopping.aborted) return 'stopping';
      this.#isAskingModel = step.kind === 'request-model';
    }
    throw new Error('The run has no end.');
  }

  /**
   * Aborts the run when its claim is lost, when the worker stops while it waits for the model, or when the
   * time is over that a stopping worker has. Returns the function that ends it.
   */
  #abortWith({ lost, stopping, ending }: TaskSignals): () => void {
    const abort = new AbortController();
    const once = { signal: abort.signal };
    const onLost = () => this.#aborting.abort(lost.reason);
    const onEnding = () => this.#aborting.abort(ending.reason);
    const onStopping = () => {
      if (this.#isAskingModel) this.#aborting.abort(new WorkerStoppedError());
    };
    lost.addEventListener('abort', onLost, once);
    ending.addEventListener('abort', onEnding, once);
    stopping.addEventListener('abort', onStopping, once);
    if (lost.aborted) onLost();
    if (ending.aborted) onEnding();
    return () => abort.abort();
  }

  /** Ends the run, or has it be tried again later. */
  async failWith(error: unknown): Promise<void> {
    const { store, mostTries, onError } = this.#surroundings;
    const { tenant, id: runId } = this.#claim;
    if (error instanceof DecisionLapsedError) {
      await reopenHolds(store, this.#claim, this.#deadlines.missed);
      return;
    }
    const delay = backoff(this.#claim.tries);
    if (error instanceof DeskError && error.code === 'unknown-agent') {
      // Another worker has the agent: that this one has not is no failure of the run.
      await giveBackRun(store, this.#claim, { delay, mostTries });
      return;
    }
    const problem = problemOf(error);
    if (isFinal(error)) {
      onError(error, { tenant, runId, outcome: 'failed' });
      await failRun(store, this.#claim, { ...this.#leftBehind(), problem });
    } else {
      const most = needsSomebody(error) ? 1 : mostTries;
      onError(error, { tenant, runId, outcome: this.#claim.tries < most ? 'retried' : 'stuck' });
      await giveBackRun(store, this.#claim, { delay, problem, mostTries: most });
    }
  }

  async #start(
    { loaded }: HistoryWriter,
    signal: AbortSignal,
  ): Promise<RunIterator<RunResult | ParkedResult>> {
    const { store, agents, lease, toolTimeout } = this.#surroundings;
    const { run, settled, inputs } = this.#begun;
    const inside = Object.hasOwn(agents, run.agent) ? agents[run.agent] : undefined;
    if (inside === undefined) throw unknownAgent(run);
    const { tenant, id: runId, conversationId, agent, requester } = run;
    requireAsShown(loaded, settled);
    const deps = await inside.deps?.({ tenant, runId, conversationId, agent, requester });
    const prompt = promptOf(inputs);
    return inside.agent.iter(prompt, {
      deps,
      messageHistory: loaded,
      ...(settled.length > 0 && { deferredToolResults: resultsOfHolds(settled) }),
      conversationId,
      // Each try is a run of its own for the core, which tells their messages apart.
      runId: `${runId}.${this.#claim.fence}`,
      usage: usageOf(run),
      durability: {
        ledger: storeLedger(store, tenant, this.#claim, this.#deadlines),
        // A worker that takes over the run repeats only calls that are safe to repeat.
        atMostOnce: 'all-unsafe',
        lease,
        onBusy: 'wait',
        onAlreadyResumed: 'replay',
      },
      onPendingCalls: 'cancel',
      verifyApproval: (call: CallToVerify) => this.#isApproved(call),
      onToolCalls: (calls: readonly ToolCallPart[]) => this.#recordSecrets(calls),
      toolTimeout,
      signal,
    });
  }

  /** Returns whether the votes for a call suffice for the arguments with which it is about to execute. */
  async #isApproved(call: CallToVerify): Promise<boolean> {
    const { run, settled } = this.#begun;
    const hold = settled.find((one) => one.hold.key === call.key)?.hold;
    if (hold !== undefined) return isApproved(this.#surroundings.policy, hold, call, run);
    // A handler of the agent approved it in this process. A decision of the desk has the digest of a hold.
    return !settled.some((one) => one.hold.digest === call.approval?.digest);
  }

  /** What was written under other rules must be known before anything is added to it. */
  async #applyRules(): Promise<void> {
    const { store, redaction } = this.#surroundings;
    const { tenant, conversationId } = this.#begun.run;
    if (redaction.isEmpty) return;
    const other = await store.read((tx) =>
      tx.runs.underOtherRules(tenant, [conversationId], redaction.fingerprint),
    );
    if (other.length > 0) await applyRules(store, [tenant, conversationId], redaction);
    // A process without the rules may have recorded an edit.
    const edits = this.#begun.settled.flatMap(({ hold: { toolName, proposal }, answer }) =>
      answer?.kind === 'edit'
        ? [answer.args, proposal?.shown?.args ?? answer.args].map((args) => ({ toolName, args }))
        : [],
    );
    await recordSecrets(store, [tenant, conversationId], redaction, edits);
  }

  /** Before a call executes, because its result and the model's next text may repeat its arguments. */
  async #recordSecrets(calls: readonly ToolCallPart[]): Promise<void> {
    const { store, redaction } = this.#surroundings;
    const { tenant, conversationId } = this.#begun.run;
    await recordSecrets(store, [tenant, conversationId], redaction, calls.map(callArgs));
  }

  /** Stores what the steps so far have added. */
  async #checkpoint(
    iterator: RunIterator<RunResult | ParkedResult>,
    history: HistoryWriter,
    step: Step,
  ): Promise<void> {
    // The outcomes of holds are in no message yet.
    if (step.kind === 'apply-results' || step.kind === 'resolve-deferred') return;
    const messages = messagesAt(iterator, step);
    const added = history.newIn(messages);
    if (history.isStored(messages, added)) return;
    await checkpointRun(this.#surroundings.store, this.#claim, {
      ...added,
      usage: spentBy(iterator),
      hasHeard: true,
      redactionRules: this.#surroundings.redaction.fingerprint,
      lastInput: this.#lastInput,
      isProgress: step.kind === 'call-tools',
    });
    history.wasStored(messages, added);
  }

  async #end(
    iterator: RunIterator<RunResult | ParkedResult>,
    history: HistoryWriter,
  ): Promise<void> {
    const { store, policy, redaction, onError } = this.#surroundings;
    const { result } = iterator;
    if (result === undefined) throw new Error('The run has ended without a result.');
    const progress: Progress = {
      ...history.newIn(result.messages),
      usage: spentBy(iterator),
      hasHeard: true,
      redactionRules: redaction.fingerprint,
      lastInput: this.#lastInput,
    };
    if (result.status === 'finished') {
      await finishRun(store, this.#claim, { ...progress, output: toJson(result.output) });
    } else {
      const holds = newHolds(this.#begun.run, result.output, policy);
      await parkRun(store, policy, this.#claim, { ...progress, holds, redaction }, onError);
    }
  }

  /** The number of the last input that this attempt was given. */
  get #lastInput(): number {
    return this.#begun.inputs.at(-1)?.number ?? 0;
  }

  /** What a run that has failed leaves behind; what is stored stays if it never came to begin. */
  #leftBehind(): Progress {
    const messages = this.#iterator?.messages ?? [];
    const stored = this.#begun.messages.length;
    const history = this.#history;
    const added =
      history === undefined || messages.length < stored
        ? { position: stored, messages: [], version: 1 }
        : history.newIn(messages);
    const usage = this.#iterator?.usage?.spent() ?? this.#begun.run.usage;
    const redactionRules = this.#surroundings.redaction.fingerprint;
    return { ...added, usage: toJson(usage), hasHeard: false, redactionRules };
  }
}

/** The history at a step. What is about to be sent is in none of the run's messages, and would be lost. */
function messagesAt({ messages }: RunIterator, step: Step): readonly Message[] {
  if (step.kind !== 'request-model') return messages;
  const { parts } = step;
  return [...messages, Object.freeze({ kind: 'request', parts })];
}

function usageOf({ usage }: RunRow): RunUsage {
  const spent = new RunUsage();
  // Only this file writes it, from `RunUsage.spent`.
  if (usage !== undefined && usage !== null) spent.add(usage as unknown as SpentUsage);
  return spent;
}

function spentBy({ usage }: RunIterator): JsonValue {
  return toJson(usage?.spent());
}

function unknownAgent({ agent }: RunRow): DeskError {
  return new DeskError(
    'unknown-agent',
    `There is no agent '${agent}' at this desk. Add it, under the name that it had, or leave the run to a process that has it.`,
  );
}
