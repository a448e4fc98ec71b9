// The service behind both servers: start runs, show them, and decide. Authenticate requesters and approvers in
// front of it.
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

const Start = z.object({ prompt: z.string().min(1) });

export class ApprovalService {
  readonly #shop: Shop;
  readonly #runs: RunStore;

  constructor(shop: Shop, runs: RunStore) {
    this.#shop = shop;
    this.#runs = runs;
  }

  /** Starts a run and returns it, finished or parked. */
  async start(body: unknown) {
    const start = Start.safeParse(body);
    if (!start.success) throw new HttpProblem(400, z.prettifyError(start.error));
    const result = await support.run(start.data.prompt, { deps: this.#shop });
    return show(this.#runs.save(result));
  }

  /** Lists parked runs. */
  inbox() {
    return this.#runs.parked().map(show);
  }

  find(id: string) {
    const run = this.#runs.find(id);
    if (run === undefined) throw new HttpProblem(404, `There is no run '${id}'.`);
    return show(run);
  }

  /** Resumes a run once, with decisions and results in the form of `resultsCodec.stringify`. */
  async decide(id: string, body: unknown) {
    this.find(id);
    const results = readResults(body);
    const messages = this.#runs.claim(id);
    if (messages === undefined) {
      throw new HttpProblem(409, 'This run is not parked. An approver has already decided.');
    }
    const resumed = await captureRunMessages(() =>
      support.resume({ messages }, results, { deps: this.#shop }),
    );
    if (resumed.status === 'fulfilled') return show(this.#runs.save(resumed.value, id));

    const { reason } = resumed;
    if (reason instanceof InvalidResultsError || reason instanceof MissingResultsError) {
      this.#runs.release(id); // No tool was executed, so the approver can decide again.
      throw new HttpProblem(400, reason.message, reason.code);
    }
    // Tools may have been executed before the error. The history contains their results; an
    // operator decides.
    this.#runs.saveFailure(id, resumed.messages);
    throw reason;
  }
}

/** Validates results as far as possible without the run. */
function readResults(body: unknown): DeferredToolResults {
  const results = loadClientResults(body);
  // Without its digest, a decision would be valid for any call with that id.
  const missing = Object.keys(results.approvals).find((key) => results.digests[key] === undefined);
  if (missing !== undefined) {
    throw new HttpProblem(400, `digests: The decision on '${missing}' has no digest.`);
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

/** Returns a run without its history, which clients do not need. */
function show({ id, status, requests, output }: StoredRun) {
  return { id, status, output, requests: requests && requestsCodec.toJSON(requests) };
}
