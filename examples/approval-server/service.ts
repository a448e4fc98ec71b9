// What the server does, whichever framework it is written with: ask, show, answer.
// Who may ask and who may answer is for the authentication of your application, in front of it.
import {
  captureRunMessages,
  type DeferredToolResults,
  InvalidJsonError,
  InvalidResultsError,
  requestsCodec,
  resultsCodec,
  MissingResultsError,
} from 'holdpoint';
import { z } from 'zod';
import { type Shop, support } from './agent.ts';
import { HttpProblem } from './http-problem.ts';
import type { RunStore, StoredRun } from './runs.ts';

const Question = z.object({ prompt: z.string().min(1) });

export class ApprovalService {
  readonly #shop: Shop;
  readonly #runs: RunStore;

  constructor(shop: Shop, runs: RunStore) {
    this.#shop = shop;
    this.#runs = runs;
  }

  /** Starts a run. It comes back finished, or waiting for somebody. */
  async ask(body: unknown) {
    const question = Question.safeParse(body);
    if (!question.success) throw new HttpProblem(400, z.prettifyError(question.error));
    const result = await support.run(question.data.prompt, { deps: this.#shop });
    return show(this.#runs.keep(result));
  }

  /** All runs that wait. */
  inbox() {
    return this.#runs.waiting().map(show);
  }

  find(id: string) {
    const run = this.#runs.find(id);
    if (run === undefined) throw new HttpProblem(404, `There is no run '${id}'.`);
    return show(run);
  }

  /** Resumes a run once, with decisions and results in the form of `resultsCodec.stringify`. */
  async answer(id: string, body: unknown) {
    this.find(id);
    const results = readAnswers(body);
    const messages = this.#runs.take(id);
    if (messages === undefined) {
      throw new HttpProblem(409, 'This run does not wait: somebody has answered before.');
    }
    const resumed = await captureRunMessages(() =>
      support.resume({ messages }, results, { deps: this.#shop }),
    );
    if (resumed.status === 'fulfilled') return show(this.#runs.keep(resumed.value, id));

    const { reason } = resumed;
    if (reason instanceof InvalidResultsError || reason instanceof MissingResultsError) {
      this.#runs.giveBack(id); // nothing was run: somebody can answer again
      throw new HttpProblem(400, reason.message, reason.code);
    }
    // Tools may have run before this happened. The history tells which; a person decides.
    this.#runs.keepFailure(id, resumed.messages);
    throw reason;
  }
}

/** Answers of a client, checked as far as that can be done without the run. */
function readAnswers(body: unknown): DeferredToolResults {
  const results = loadClientResults(body);
  // Without its digest an answer would hold for any call of that id, not only for the one that was shown.
  const without = Object.keys(results.approvals).find((key) => results.digests[key] === undefined);
  if (without !== undefined) {
    throw new HttpProblem(400, `digests: The answer to '${without}' does not say what was shown.`);
  }
  return results;
}

function loadClientResults(body: unknown): DeferredToolResults {
  try {
    return resultsCodec.fromJSON(body);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new HttpProblem(400, error.message, error.code);
  }
}

/** A run as clients see it: without its history, which holds more than they need to know. */
function show({ id, status, requests, output }: StoredRun) {
  return { id, status, output, requests: requests && requestsCodec.toJSON(requests) };
}
