import {
  Agent,
  captureRunMessages,
  DeferredToolRequests,
  type Ledger,
  type Message,
  messageCodec,
  requestsFromMessages,
  type Tool,
  type Toolset,
  UserError,
} from 'holdpoint';
import type { CapturedMessages } from 'holdpoint/agents';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { vi } from 'vitest';
import { readStepRecord } from '../../../../src/messages/step-record.ts';
import { present } from '../../../support/present.ts';
import { type DecisionsPlan, type Given, decideAll } from './decisions.ts';
import { Journal } from './journal.ts';
import { BEGINNING } from './one-thread.ts';
import { toolOf, type Work } from './plans.ts';
import { ledgerHandle } from './ledger-handle.ts';
import { LEASE, Stage, type Worker } from './stage.ts';
import { makeTools, previewOf, toolName } from './tools.ts';

/** How a parked run is resumed. */
export interface ResumePlan {
  /** Index of the process. */
  readonly process: number;
  /** Index of the stored history. */
  readonly from: number;
  readonly decisions: DecisionsPlan;
  /** True if the history is parsed from JSON text instead of reusing the objects of the first run. */
  readonly asText: boolean;
  /** True if the resume reuses decisions for an earlier park of the same calls. */
  readonly stale: boolean;
  readonly onAlreadyResumed: 'error' | 'replay';
  readonly onBusy: 'error' | 'wait';
  readonly parallelMode: 'parallel' | 'sequential' | 'parallel-ordered-events';
}

/** A run and its end. */
export interface PlayedRun extends Worker {
  readonly id: number;
  readonly ledger: Ledger;
  /** Plan, history and decisions of a resume. */
  plan?: ResumePlan;
  source?: Stored;
  given?: Given;
  /** The messages that it ended with. */
  messages?: readonly Message[];
  status?: 'finished' | 'parked' | 'failed';
  error?: unknown;
  /** Index of the history that it stored. */
  left?: number | undefined;
  /** Time in the journal at which it ended. */
  overAt?: number;
}

/** The end of a run that did not fail. */
interface Ended {
  readonly status: 'finished' | 'parked';
  readonly messages: readonly Message[];
}

/** A history that a run can resume. */
export interface Stored {
  readonly messages: readonly Message[];
  readonly text: string;
  /** True if the run parked; false if it failed. */
  readonly isParked: boolean;
  readonly step: string;
  readonly toolCallIds: string;
}

const OUTPUT = [String, DeferredToolRequests] as const;

/** The processes, runs, stored histories and journal of a case. */
export class World {
  readonly journal = new Journal();
  readonly runs: PlayedRun[] = [];
  readonly stored: Stored[] = [];
  readonly givens: { given: Given; stored: Stored }[] = [];
  /** Messages of every model request. */
  readonly requests: (readonly Message[])[] = [];
  /** Problems observed during the case. */
  readonly complaints: string[] = [];
  readonly stage: Stage;
  readonly work: Work;
  readonly shared: Ledger;
  /** True if the first run may be interrupted and restarted; the model then repeats its responses. */
  readonly #repeats: boolean;

  constructor(options: {
    work: Work;
    ledger: Ledger;
    places: number;
    order?: readonly number[];
    repeats?: boolean;
  }) {
    this.#repeats = options.repeats ?? false;
    this.work = options.work;
    this.shared = options.ledger;
    const { places, order = [] } = options;
    this.stage = new Stage({ processes: places, order });
  }

  /** Starts the first run. With the ids of an earlier attempt it restarts that run. */
  begin(process: number, ids: { readonly runId?: string; readonly conversationId?: string } = {}) {
    const run = this.#newRun(process);
    this.#follow(run, async () => {
      await this.stage.wait(run, 'start');
      return this.#agent(run).run('Go.', { ...this.#options(run), ...ids });
    });
    return run;
  }

  /** Resumes a stored run when its turn comes. `spoil` replaces the ledger of the run. */
  resume(plan: ResumePlan, spoil: (ledger: Ledger) => Ledger = (ledger) => ledger): PlayedRun {
    const run = this.#newRun(plan.process);
    const ledger = spoil(run.ledger);
    this.#follow(run, async () => {
      await this.stage.wait(run, 'start');
      const stored = present(this.stored[plan.from % this.stored.length]);
      const given = this.#given(plan, stored, run.id);
      run.plan = plan;
      run.source = stored;
      run.given = given;
      const { onAlreadyResumed, onBusy, parallelMode } = plan;
      return this.#agent(run).run(undefined, {
        ...this.#options(run),
        durability: { ledger, lease: LEASE, onAlreadyResumed, onBusy },
        messageHistory: plan.asText ? messageCodec.parse(stored.text) : stored.messages,
        deferredToolResults: given.results,
        parallelMode,
      });
    });
    return run;
  }

  #given({ decisions, stale }: ResumePlan, stored: Stored, by: number): Given {
    const earlier = this.givens.filter(
      ({ stored: other, given }) =>
        !given.isSpoiled && other.step === stored.step && other.toolCallIds === stored.toolCallIds,
    );
    if (stale && earlier.length > 0) return present(earlier[0]).given;
    const requests = present(requestsFromMessages(messageCodec.parse(stored.text)));
    const given = decideAll(requests, decisions, by);
    this.givens.push({ given, stored });
    return given;
  }

  #newRun(at: number): PlayedRun {
    const { stage, journal, shared } = this;
    const process = present(stage.processes[at % stage.processes.length]);
    const worker: Worker = { process, controller: new AbortController() };
    const ledger = ledgerHandle(shared, { stage, worker, journal });
    const run = { ...worker, id: this.runs.length, ledger };
    this.runs.push(run);
    return run;
  }

  #options({ controller, ledger }: PlayedRun) {
    return { signal: controller.signal, durability: { ledger, lease: LEASE } };
  }

  /** Each run has its own agent and tools. */
  #agent(run: PlayedRun): Agent<readonly Tool[], typeof OUTPUT, unknown, readonly Toolset[]> {
    const { journal } = this;
    return new Agent({
      model: functionModel(({ messages }) => {
        this.requests.push([...messages]);
        const responseCount = messages.filter(({ kind }) => kind === 'response').length;
        return this.#response(responseCount);
      }),
      ...makeTools(this.work, {
        journal,
        run: run.id,
        isQuiet: !this.#repeats,
        wait: (label) => this.stage.wait(run, label),
      }),
      output: OUTPUT,
    });
  }

  #response(responseCount: number) {
    const batch = this.work.batches[responseCount];
    if (batch === undefined) return says('Done.');
    const response = this.#repeats ? responseCount : this.journal.nextResponse();
    return responds(
      ...batch.map((plan, index) => {
        const label = `${response}.${index}`;
        const toolCallId = `call_${index}`;
        const tool = toolOf(this.work, plan);
        this.journal.make({ label, toolCallId, index, plan, tool });
        const name = toolName(plan.tool % this.work.tools.length);
        return calls(name, { call: label, value: plan.value }, { id: toolCallId });
      }),
    );
  }

  /** Records the end of a run. The end of a dead process is ignored. */
  #follow(run: PlayedRun, start: () => Promise<Ended>): void {
    captureRunMessages(start)
      .then((captured) => this.#recordEnd(run, captured))
      .catch((error) => this.complaints.push(`a run left something strange: ${error}`));
  }

  #recordEnd(run: PlayedRun, captured: CapturedMessages<Ended>): void {
    if (run.process.isDead) return;
    run.messages = captured.messages;
    if (captured.status === 'fulfilled') {
      run.status = captured.value.status;
    } else {
      run.status = 'failed';
      run.error = captured.reason;
    }
    if (run.status !== 'finished') run.left = this.#store(run.messages, run.status === 'parked');
    run.overAt = this.journal.now();
  }

  /** Stores the history of a parked or failed run; returns its index. */
  #store(messages: readonly Message[], isParked: boolean): number | undefined {
    const step = readStepRecord(messages)?.step;
    if (step === undefined) return undefined;
    const text = messageCodec.stringify(messages);
    const requests = requestsIn(text, isParked);
    if (requests === undefined) return undefined;
    this.#look(requests);
    const ids = [...requests.approvals, ...requests.calls].map(({ toolCallId }) => toolCallId);
    const known = this.stored.findIndex((other) => other.text === text);
    if (known >= 0) return known;
    return this.stored.push({ messages, text, isParked, step, toolCallIds: ids.join() }) - 1;
  }

  /** Reports a preview that does not match the arguments that would execute. */
  #look(requests: DeferredToolRequests): void {
    for (const call of requests.approvals) {
      const { preview } = requests.get(call).details;
      const { value } = requests.get(call).args as { value: unknown };
      if (preview === undefined || preview === previewOf(value)) continue;
      this.complaints.push(`shown ${preview} for ${value}`);
    }
  }
}

/** Returns the pending calls of a history. The history of a failed run may not describe all of them. */
function requestsIn(text: string, isParked: boolean): DeferredToolRequests | undefined {
  try {
    return requestsFromMessages(messageCodec.parse(text));
  } catch (error) {
    if (isParked || !(error instanceof UserError)) throw error;
    return undefined;
  }
}

/** Resets timers and clock between cases. */
export function beginCase(): void {
  vi.clearAllTimers();
  vi.setSystemTime(BEGINNING);
}
