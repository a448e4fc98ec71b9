import {
  type JsonValue,
  type Message,
  type ParkedResult,
  type RunIterator,
  type RunResult,
  RunUsage,
  type Step,
  type StepEvent,
  type ToolCallPart,
} from 'holdpoint';
import type { CallToVerify } from 'holdpoint/deferral';
import type { SpentUsage } from 'holdpoint/messages';
import { type ExecutionFacts, isApproved } from '../approvers/is-approved.ts';
import type { Policy } from '../approvers/policy.ts';
import { DeskError } from '../errors/desk-error.ts';
import type { ReportError } from '../errors/report-error.ts';
import { WorkerStoppedError } from '../errors/worker-stopped-error.ts';
import { CallDeadlines } from '../ledger/call-deadlines.ts';
import { ledgerOfRun } from '../ledger/store-ledger.ts';
import { editedArgs } from '../model/decision-row.ts';
import { toJson } from '../model/json.ts';
import type { RunRow } from '../model/run-row.ts';
import { callArgs } from '../redaction/calls-in.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { Store } from '../store/store.ts';
import type { ObservedAttempt, RunStreams } from '../stream/run-streams.ts';
import type { BegunRun } from '../transitions/begin-run.ts';
import { checkpoint, type Progress } from '../transitions/checkpoint-run.ts';
import { finishRun } from '../transitions/end-run.ts';
import { parkRun } from '../transitions/park-run.ts';
import { applyRules, recordSecrets } from '../transitions/record-secrets.ts';
import type { RunWriter } from '../transitions/run-writer.ts';
import { decidingGrant } from '../transitions/verify-rows.ts';
import type { TaskSignals } from '../worker/worker.ts';
import type { RegisteredAgent } from './desk-agent.ts';
import { HistoryWriter } from './history-writer.ts';
import { newHolds } from './new-holds.ts';
import { promptOf } from './prompt-text.ts';
import { requireAsShown } from './require-as-shown.ts';
import { resultsOfHolds } from './results-of-holds.ts';

/** Dependencies of the execution of runs. */
export interface ExecutionDeps {
  readonly store: Store;
  readonly agents: Readonly<Record<string, RegisteredAgent>>;
  readonly lease: number;
  readonly maxAttempts: number;
  readonly toolTimeout: number;
  readonly policy: Policy;
  readonly redaction: Redaction;
  readonly streams: RunStreams;
  readonly onError: ReportError;
}

/** The execution of a run by this worker, from its claim to the point where it parks, ends or is released. */
export class RunExecution {
  readonly #deps: ExecutionDeps;
  readonly #writer: RunWriter;
  readonly #claimed: BegunRun;
  readonly #attempt: ObservedAttempt;
  #history: HistoryWriter | undefined;
  #iterator: RunIterator<RunResult | ParkedResult> | undefined;
  readonly #deadlines: CallDeadlines;
  readonly #aborting = new AbortController();
  /** True once a checkpoint has recorded the outcomes of holds and the inputs of this attempt. */
  #hasRecordedOutcomes = false;
  /** True during a model request, which can be aborted and repeated. */
  #isRequestingModel = false;
  /** True once the end of the run, or its parking, is stored. */
  hasEnded = false;

  constructor(deps: ExecutionDeps, writer: RunWriter, claimed: BegunRun, attempt: ObservedAttempt) {
    this.#deps = deps;
    this.#writer = writer;
    this.#claimed = claimed;
    this.#attempt = attempt;
    this.#deadlines = new CallDeadlines(claimed.settled);
  }

  /** True if the run was aborted because the worker stops, before it parked or ended. */
  get wasStopped(): boolean {
    return !this.hasEnded && this.#aborting.signal.reason instanceof WorkerStoppedError;
  }

  /** Returns the calls whose approvals expired before they could start. */
  get missedDeadlines(): ReadonlySet<string> {
    return this.#deadlines.missed;
  }

  /** Executes the run until it parks or ends, or until the worker stops. */
  async execute(signals: TaskSignals): Promise<'done' | 'stopping'> {
    const stopListening = this.#abortWith(signals);
    try {
      return await this.#execute(signals.stopping);
    } finally {
      stopListening();
    }
  }

  async #execute(stopping: AbortSignal): Promise<'done' | 'stopping'> {
    await applyRedaction(this.#deps, this.#claimed);
    const history = new HistoryWriter(this.#claimed.messages);
    this.#history = history;
    const iterator = await this.#start(history, this.#aborting.signal);
    this.#iterator = iterator;
    for await (const step of iterator) {
      this.#isRequestingModel = false;
      if (step.kind === 'finished' || step.kind === 'parked') {
        await this.#end(iterator, history);
        this.hasEnded = true;
        return 'done';
      }
      this.#checkpoint(iterator, history, step);
      if (stopping.aborted) return 'stopping';
      this.#isRequestingModel = step.kind === 'request-model';
    }
    throw new Error('The run ended without its last step.');
  }

  /**
   * Aborts the run when its claim is lost, when the worker stops during a model request, or when
   * the drain time of a stopping worker has passed. Returns a function that removes the listeners.
   */
  #abortWith({ lost, stopping, ending }: TaskSignals): () => void {
    const onLost = () => this.#aborting.abort(lost.reason);
    const onEnding = () => this.#aborting.abort(ending.reason);
    const onStopping = () => {
      if (this.#isRequestingModel) this.#aborting.abort(new WorkerStoppedError());
    };
    lost.addEventListener('abort', onLost);
    ending.addEventListener('abort', onEnding);
    stopping.addEventListener('abort', onStopping);
    if (lost.aborted) onLost();
    if (ending.aborted) onEnding();
    return () => {
      lost.removeEventListener('abort', onLost);
      ending.removeEventListener('abort', onEnding);
      stopping.removeEventListener('abort', onStopping);
    };
  }

  async #start(
    { loaded }: HistoryWriter,
    signal: AbortSignal,
  ): Promise<RunIterator<RunResult | ParkedResult>> {
    const { store, agents, lease, toolTimeout } = this.#deps;
    const { run, settled, inputs, entries } = this.#claimed;
    const registered = Object.hasOwn(agents, run.agent) ? agents[run.agent] : undefined;
    if (registered === undefined) throw unknownAgent(run);
    const { tenant, id: runId, conversationId, agent, requester } = run;
    requireAsShown(loaded, settled);
    const deps = await registered.deps?.({ tenant, runId, conversationId, agent, requester });
    const prompt = promptOf(inputs);
    return registered.agent.iter(prompt, {
      deps,
      messageHistory: loaded,
      ...(settled.length > 0 && { deferredToolResults: resultsOfHolds(settled) }),
      conversationId,
      // Each attempt is a separate run of the core, which distinguishes their messages by it.
      runId: `${runId}.${this.#writer.claim.fence}`,
      usage: usageOf(run),
      durability: {
        ledger: ledgerOfRun(store, tenant, {
          writer: this.#writer,
          deadlines: this.#deadlines,
          entries,
        }),
        // A worker that takes over the run repeats only calls that are safe to repeat.
        atMostOnce: 'all-unsafe',
        lease,
        onBusy: 'wait',
        onAlreadyResumed: 'replay',
        mayPark: true,
      },
      onPendingCalls: 'cancel',
      verifyApproval: (call: CallToVerify) => this.#isApproved(call),
      onToolCalls: (calls: readonly ToolCallPart[]) => this.#recordSecrets(calls),
      // A model streams its response only if a reader receives it.
      events: { responses: () => this.#attempt.isObserved, subAgents: true },
      onEvent: (event: StepEvent) => this.#emit(event),
      toolTimeout,
      signal,
    });
  }

  #emit(event: StepEvent): void {
    if (!this.#attempt.isObserved) return;
    // The event is about the message that the run appends next.
    this.#attempt.emit(this.#iterator?.messages.length ?? 0, event);
  }

  /** Returns whether the votes for a call suffice for the arguments with which it is about to execute. */
  async #isApproved(call: CallToVerify): Promise<boolean> {
    const { policy, store } = this.#deps;
    const { run, settled } = this.#claimed;
    const facts: ExecutionFacts = {
      now: () => store.read((tx) => tx.now()),
      grantOf: (id) => store.read((tx) => decidingGrant(tx, run.tenant, id)),
    };
    const hold = settled.find((one) => one.hold.key === call.key)?.hold;
    // A handler of the agent is not an approver. A call that it approved has no hold, and is requested.
    return hold !== undefined && isApproved(policy, hold, call, facts);
  }

  /** Records secrets before a call executes, because its result and the next response may repeat its arguments. */
  async #recordSecrets(calls: readonly ToolCallPart[]): Promise<void> {
    const { store, redaction } = this.#deps;
    const { tenant, conversationId } = this.#claimed.run;
    await recordSecrets(store, [tenant, conversationId], redaction, calls.map(callArgs));
  }

  /**
   * Stores the messages that the steps so far added, with the next change of the run. If they are lost, the next
   * attempt requests the response again, and the ledger has the outcomes of its calls.
   */
  #checkpoint(
    iterator: RunIterator<RunResult | ParkedResult>,
    history: HistoryWriter,
    step: Step,
  ): void {
    // The outcomes of holds are in no message yet.
    if (step.kind === 'apply-results' || step.kind === 'resolve-deferred') return;
    const messages = messagesAt(iterator, step);
    const added = history.newIn(messages);
    if (history.isStored(messages, added)) return;
    const point = {
      ...added,
      usage: spentBy(iterator),
      hasHeard: !this.#hasRecordedOutcomes,
      redactionRules: this.#deps.redaction.fingerprint,
      lastInput: this.#lastInput,
      isProgress: step.kind === 'call-tools',
    };
    this.#writer.defer(checkpoint(point));
    this.#hasRecordedOutcomes = true;
    history.wasStored(messages, added);
  }

  async #end(
    iterator: RunIterator<RunResult | ParkedResult>,
    history: HistoryWriter,
  ): Promise<void> {
    const { policy, redaction, onError } = this.#deps;
    const { result } = iterator;
    if (result === undefined) throw new Error('The run ended without a result.');
    const progress: Progress = {
      ...history.newIn(result.messages),
      usage: spentBy(iterator),
      hasHeard: !this.#hasRecordedOutcomes,
      redactionRules: redaction.fingerprint,
      lastInput: this.#lastInput,
    };
    if (result.status === 'finished') {
      await finishRun(this.#writer, { ...progress, output: toJson(result.output) });
    } else {
      const holds = newHolds(this.#claimed.run, result.output, policy);
      await parkRun(this.#writer, policy, { ...progress, holds, redaction }, onError);
    }
  }

  /** The number of the last input of this attempt. */
  get #lastInput(): number {
    return this.#claimed.inputs.at(-1)?.number ?? 0;
  }

  /** Returns the progress of a run that failed. Stored messages stay if the run did not start. */
  partialProgress(): Progress {
    const messages = this.#iterator?.messages ?? [];
    const stored = this.#claimed.messages.length;
    const history = this.#history;
    const added =
      history === undefined || messages.length < stored
        ? { position: stored, messages: [], version: 1 }
        : history.newIn(messages);
    const usage = this.#iterator?.usage?.spent() ?? this.#claimed.run.usage;
    const redactionRules = this.#deps.redaction.fingerprint;
    return { ...added, usage: toJson(usage), hasHeard: false, redactionRules };
  }
}

/** Applies the redaction rules to everything that was stored under other rules, before the run adds to it. */
async function applyRedaction(
  { store, redaction }: ExecutionDeps,
  { run: { tenant, conversationId }, settled }: BegunRun,
): Promise<void> {
  if (redaction.isEmpty) return;
  const other = await store.read((tx) =>
    tx.runs.underOtherRules(tenant, [conversationId], redaction.fingerprint),
  );
  if (other.length > 0) await applyRules(store, [tenant, conversationId], redaction);
  // A process without the rules may have recorded an edit.
  const edits = settled.flatMap(({ hold: { toolName, proposal }, decision }) => {
    const edit = editedArgs(decision);
    return edit === undefined
      ? []
      : [edit, proposal?.shown?.args ?? edit].map((args) => ({ toolName, args }));
  });
  await recordSecrets(store, [tenant, conversationId], redaction, edits);
}

/** Returns the history at a step, with the request that is about to be sent: the run does not have it yet. */
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
    `There is no agent \`${agent}\` at this desk. Pass it to \`openDesk\` under this name, or leave the run to a process that has it.`,
  );
}
