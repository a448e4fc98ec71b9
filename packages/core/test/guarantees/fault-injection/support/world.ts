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
import { type AnswersPlan, type Given, giveAnswers } from './decisions.ts';
import { Journal } from './journal.ts';
import { BEGINNING } from './one-thread.ts';
import { toolOf, type Work } from './plans.ts';
import { ledgerHandle } from './ledger-handle.ts';
import { LEASE, Stage, type Worker } from './stage.ts';
import { makeTools, previewOf, toolName } from './tools.ts';

/** How a parked run is resumed. */
export interface ResumePlan {
  /** In which process. */
  readonly place: number;
  /** From which of the histories that are stored by then. */
  readonly from: number;
  readonly answers: AnswersPlan;
  /** Whether the history has made its way as text, and not as the objects that the first run gave. */
  readonly asText: boolean;
  /** Whether it comes with answers that somebody gave earlier, to what was asked then. */
  readonly stale: boolean;
  readonly onAlreadyResumed: 'error' | 'replay';
  readonly onBusy: 'error' | 'wait';
  readonly parallelMode: 'parallel' | 'sequential' | 'parallel-ordered-events';
}

/** A run, and how it ended. */
export interface PlayedRun extends Worker {
  readonly id: number;
  readonly ledger: Ledger;
  /** What it has resumed, how, and with which answers. */
  plan?: ResumePlan;
  source?: Stored;
  given?: Given;
  /** The messages that it ended with. */
  messages?: readonly Message[];
  status?: 'finished' | 'parked' | 'failed';
  error?: unknown;
  /** Which of the stored histories it has left behind. */
  left?: number | undefined;
  /** When it was over. */
  overAt?: number;
}

/** How a run ends well. */
interface Ended {
  readonly status: 'finished' | 'parked';
  readonly messages: readonly Message[];
}

/** A history that somebody can go on with. */
export interface Stored {
  readonly messages: readonly Message[];
  readonly text: string;
  /** Whether the run has parked, and not failed. */
  readonly isParked: boolean;
  readonly step: string;
  readonly toolCallIds: string;
}

const OUTPUT = [String, DeferredToolRequests] as const;

/** Everything that a case is about: processes, runs, what they stored, and what happened. */
export class World {
  readonly journal = new Journal();
  readonly runs: PlayedRun[] = [];
  readonly stored: Stored[] = [];
  readonly givens: { given: Given; stored: Stored }[] = [];
  /** What models were asked. */
  readonly requests: (readonly Message[])[] = [];
  /** What was seen to be wrong on the way. */
  readonly complaints: string[] = [];
  readonly stage: Stage;
  readonly work: Work;
  readonly shared: Ledger;
  /** Whether the first run may break off, and the model says the same again when it begins again. */
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
    this.stage = new Stage({ places, order });
  }

  /** Begins the first run, which parks or is finished. With its ids, it begins again as the same run. */
  begin(place: number, ids: { readonly runId?: string; readonly conversationId?: string } = {}) {
    const run = this.#newRun(place);
    this.#follow(run, async () => {
      await this.stage.wait(run, 'start');
      return this.#agent(run).run('Go.', { ...this.#options(run), ...ids });
    });
    return run;
  }

  /** Resumes a stored run as soon as it is its turn. `spoil`: what becomes of the ledger that it has. */
  resume(plan: ResumePlan, spoil: (ledger: Ledger) => Ledger = (ledger) => ledger): PlayedRun {
    const run = this.#newRun(plan.place);
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

  #given({ answers, stale }: ResumePlan, stored: Stored, by: number): Given {
    const earlier = this.givens.filter(
      ({ stored: other, given }) =>
        !given.isSpoiled && other.step === stored.step && other.toolCallIds === stored.toolCallIds,
    );
    if (stale && earlier.length > 0) return present(earlier[0]).given;
    const requests = present(requestsFromMessages(messageCodec.parse(stored.text)));
    const given = giveAnswers(requests, answers, by);
    this.givens.push({ given, stored });
    return given;
  }

  #newRun(at: number): PlayedRun {
    const { stage, journal, shared } = this;
    const place = present(stage.places[at % stage.places.length]);
    const worker: Worker = { place, controller: new AbortController() };
    const ledger = ledgerHandle(shared, { stage, worker, journal });
    const run = { ...worker, id: this.runs.length, ledger };
    this.runs.push(run);
    return run;
  }

  #options({ controller, ledger }: PlayedRun) {
    return { signal: controller.signal, durability: { ledger, lease: LEASE } };
  }

  /** Every run has an agent of its own, with tools of its own. */
  #agent(run: PlayedRun): Agent<readonly Tool[], typeof OUTPUT, unknown, readonly Toolset[]> {
    const { journal } = this;
    return new Agent({
      model: functionModel(({ messages }) => {
        this.requests.push([...messages]);
        const answered = messages.filter(({ kind }) => kind === 'response').length;
        return this.#response(answered);
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

  #response(answered: number) {
    const batch = this.work.batches[answered];
    if (batch === undefined) return says('Done.');
    const response = this.#repeats ? answered : this.journal.nextResponse();
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

  /** Notes how a run ends. What a process says that is gone, nobody hears. */
  #follow(run: PlayedRun, start: () => Promise<Ended>): void {
    captureRunMessages(start)
      .then((captured) => this.#noteEnd(run, captured))
      .catch((error) => this.complaints.push(`a run left something strange: ${error}`));
  }

  #noteEnd(run: PlayedRun, captured: CapturedMessages<Ended>): void {
    if (run.place.isDead) return;
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

  /** What a failed run leaves behind can be gone on with, too. */
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

  /** What is shown to whoever has to approve a call is about what would run. */
  #look(requests: DeferredToolRequests): void {
    for (const call of requests.approvals) {
      const { preview } = requests.get(call).details;
      const { value } = requests.get(call).args as { value: unknown };
      if (preview === undefined || preview === previewOf(value)) continue;
      this.complaints.push(`shown ${preview} for ${value}`);
    }
  }
}

/** What a history waits for. One of a run that failed may not know it of all its calls. */
function requestsIn(text: string, isParked: boolean): DeferredToolRequests | undefined {
  try {
    return requestsFromMessages(messageCodec.parse(text));
  } catch (error) {
    if (isParked || !(error instanceof UserError)) throw error;
    return undefined;
  }
}

/** Begins a case: it is the same time in all of them, and nothing is left of the one before. */
export function beginCase(): void {
  vi.clearAllTimers();
  vi.setSystemTime(BEGINNING);
}
