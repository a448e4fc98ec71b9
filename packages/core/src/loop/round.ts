import { applyDecisions } from '../execution/apply-decisions.ts';
import { editCheck } from '../gate/check-edit.ts';
import type { BatchResults, Deferral, CallInBatch } from '../execution/call-in-batch.ts';
import { type CallResult, toolReturn } from '../outcomes/outcome.ts';
import type { ExecutionScope } from '../execution/scope.ts';
import { NO_DETAILS } from '../messages/call-details.ts';
import { subAgentRequests } from '../deferred/sub-agent-run.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import { RequestsBuilder } from '../deferred/requests-builder.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { quoteCalls } from '../errors/quote-ids.ts';
import { UnexpectedModelBehavior } from '../errors/model-errors.ts';
import { callsWithDuplicateIds, haveUniqueIds } from '../messages/message.ts';
import type { RequestPart } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { OutputTool } from '../output/output-plan.ts';

/** A call to an output tool and its place. */
export interface OutputCall extends CallInBatch {
  readonly tool: OutputTool;
}

/** A class, as what the gate permits is one: it lives as long. */
class Placed implements CallInBatch {
  readonly call: ToolCallPart;
  readonly place: number;

  constructor(call: ToolCallPart, place: number) {
    this.call = call;
    this.place = place;
  }
}

/** What calls are told that did not get to count. */
export const SKIPPED = {
  tool: 'This tool was not run: the final result was already there.',
  output: 'This output was not used: the final result was already there.',
  laterOutput: 'This output is valid, but another one became the final result.',
  invalidOutput: 'This output was not used: it did not pass validation.',
  failedOutput: 'This output was not used: its function failed.',
  retriesFirst: 'This output was not used yet: other tools of this round have to be retried first.',
} as const;

/** The calls of one response while they are being worked on, and what came of them so far. */
export class Round implements BatchResults {
  /** The calls as they came. */
  readonly #given: readonly ToolCallPart[];
  readonly calls: readonly CallInBatch[];
  /** Calls to function tools, and to tools that there are not. */
  readonly functionCalls: readonly CallInBatch[];
  readonly outputCalls: readonly OutputCall[];
  /** Calls to tools that always defer: external ones, then those that need approval. */
  readonly markedCalls: readonly CallInBatch[];
  /** What came of each call, by its place. */
  readonly results: (CallResult | undefined)[];
  /** The calls that somebody else has to answer, by their place. */
  readonly deferrals: (Deferral | undefined)[];
  /** The output of the run, and the place of the call that gave it. */
  final: { readonly output: unknown; readonly place: number | undefined } | undefined;
  /** Whether an output was sent back to the model. */
  outputFailed = false;
  /** What was given with the answers that this round is about. */
  prompt: RequestPart | undefined;
  #waiting: readonly CallInBatch[] = [];
  /** What was asked about calls that somebody has answered since, by their place. */
  readonly #asked: (Deferral | undefined)[] = [];
  /** The order of the results in the request: each group with its results, then what tools show beside them. */
  #groups: (readonly CallInBatch[])[];

  constructor(run: Pick<ExecutionScope, 'outputPlan' | 'tools'>, calls: readonly ToolCallPart[]) {
    this.#given = calls;
    const all: CallInBatch[] = [];
    this.calls = all;
    this.results = [];
    this.deferrals = [];
    const functions: CallInBatch[] = [];
    const outputs: OutputCall[] = [];
    const external: CallInBatch[] = [];
    const unapproved: CallInBatch[] = [];
    const { tools: outputTools } = run.outputPlan;
    for (const call of calls) {
      const placed = new Placed(call, all.length);
      // Not `map`: once it is compiled, its lists are of another kind, and whoever reads them is compiled again.
      all.push(placed);
      const { toolName } = call;
      const tool = outputTools.size === 0 ? undefined : outputTools.get(toolName);
      const kind = run.tools.get(toolName)?.definition.kind;
      if (tool !== undefined) outputs.push({ ...placed, tool });
      else if (kind === 'external') external.push(placed);
      else if (kind === 'unapproved') unapproved.push(placed);
      else functions.push(placed);
    }
    this.functionCalls = functions;
    this.outputCalls = outputs;
    this.markedCalls = external.length > 0 ? [...external, ...unapproved] : unapproved;
    this.#groups = groupsOf(this);
  }

  /** Answers a call with a word of ours instead of a result of its own. */
  skip({ call, place }: CallInBatch, reason: string): CallResult {
    const result = { part: toolReturn(call, reason, 'success') };
    this.results[place] = result;
    return result;
  }

  /** The answer beside the calls is the output: none of them runs. */
  skipAll(output: unknown): void {
    for (const call of this.calls) this.skip(call, SKIPPED.tool);
    this.final = { output, place: undefined };
  }

  /** The run has its output: calls that would have to wait are closed. */
  skipDeferred(): void {
    for (const call of this.markedCalls) this.skip(call, SKIPPED.tool);
    const raised = this.#waiting;
    this.#waiting = [];
    for (const call of raised) {
      this.deferrals[call.place] = undefined;
      this.skip(call, SKIPPED.tool);
    }
    this.#moveToEnd(raised);
  }

  /** Those of the calls that have neither a result nor somebody to wait for. */
  toRun(calls: readonly CallInBatch[]): readonly CallInBatch[] {
    if (this.#isFresh) return calls;
    return calls.filter(({ place }) => !this.results[place] && !this.deferrals[place]);
  }

  /** Whether nothing has come of any call yet. */
  get #isFresh(): boolean {
    return this.results.length === 0 && this.deferrals.length === 0;
  }

  /** Puts all results in the order of the calls. */
  inCallOrder(): void {
    this.#groups = [this.calls];
  }

  /** Puts the results of outputs before everything else. */
  outputsFirst(): void {
    this.#groups = [[...this.outputCalls, ...this.functionCalls], this.markedCalls];
  }

  /** The calls that wait for somebody's answer, in the order in which they came to wait. */
  get waiting(): readonly CallInBatch[] {
    return this.#waiting;
  }

  /** What a call that waits is waiting for. */
  deferralOf({ place }: CallInBatch): Deferral {
    // What waits has its deferral.
    return this.deferrals[place]!;
  }

  /** Takes note of those of the calls that have come to wait. */
  noteWaiting(calls: readonly CallInBatch[]): void {
    if (this.deferrals.length === 0) return;
    const hasDeferral = ({ place }: CallInBatch) => this.deferrals[place] !== undefined;
    if (this.#waiting.length === 0) {
      this.#waiting = calls.every(hasDeferral) ? calls : calls.filter(hasDeferral);
      return;
    }
    const known = new Set<number>();
    for (const { place } of this.#waiting) known.add(place);
    const added = calls.filter((call) => hasDeferral(call) && !known.has(call.place));
    if (added.length > 0) this.#waiting = [...this.#waiting, ...added];
  }

  /** Calls that were answered and have come to nothing wait again: somebody has to look at them. */
  askAgain(): void {
    for (const { place } of this.calls) {
      if (this.results[place] || this.deferrals[place]) continue;
      this.deferrals[place] = this.#asked[place];
    }
    this.noteWaiting(this.calls);
  }

  /** What waits, as it is shown to whoever answers. */
  requests(run: ExecutionScope): DeferredToolRequests {
    this.#requireUniqueIds();
    // Those of now: the next step may have others.
    const { tools } = run;
    const requests = new RequestsBuilder((toolName) => tools.get(toolName)?.definition);
    for (const waiting of this.#waiting) {
      const { call } = waiting;
      const deferral = this.deferralOf(waiting);
      if (deferral.as === 'agent') {
        requests.addNested(call, subAgentRequests(call, deferral.messages));
      } else {
        requests.add(call, deferral);
      }
    }
    return requests.build(editCheck(run, this.#waiting));
  }

  /** Takes the calls that `results` answers off those that wait: those that were approved or denied first, then the others. */
  takeAnswers(results: DeferredToolResults): CallInBatch[] {
    const byKind = {
      approval: [] as CallInBatch[],
      external: [] as CallInBatch[],
      agent: [] as CallInBatch[],
    };
    for (const placed of this.#waiting) {
      const deferral = this.deferralOf(placed);
      const asked =
        deferral.as === 'agent'
          ? deferral
          : { ...deferral, details: deferral.details ?? NO_DETAILS };
      const answered = applyDecisions(placed, asked, results, true);
      if (answered !== undefined) byKind[deferral.as].push(answered);
    }
    const answered = [...byKind.approval, ...byKind.external, ...byKind.agent];
    for (const { place } of answered) {
      this.#asked[place] = this.deferrals[place];
      this.deferrals[place] = undefined;
    }
    this.#waiting = this.#waiting.filter(({ place }) => this.deferrals[place] !== undefined);
    this.#moveToEnd(answered);
    return answered;
  }

  /** What the next request says. */
  parts(): RequestPart[] {
    const parts: RequestPart[] = [];
    for (const group of this.#groups) {
      const contents: RequestPart[] = [];
      for (const { place } of group) {
        const result = this.results[place];
        if (result === undefined) continue;
        parts.push(result.part);
        if (result.delta !== undefined) parts.push(result.delta);
        if (result.content !== undefined) contents.push(result.content);
      }
      for (const content of contents) parts.push(content);
    }
    if (this.prompt !== undefined) parts.push(this.prompt);
    return parts;
  }

  /** Answers are by id: a call that waits must share its id with no other call of the response. */
  #requireUniqueIds(): void {
    if (haveUniqueIds(this.#given)) return;
    const waiting = this.#waiting.map(({ call }) => call);
    const shared = callsWithDuplicateIds(waiting, this.#given);
    if (shared.length === 0) return;
    throw new UnexpectedModelBehavior(
      `Calls that wait for an answer share their id with another call: ${quoteCalls(shared)}. ` +
        'An answer could not be told to be for one of them. Run again.',
    );
  }

  #moveToEnd(calls: readonly CallInBatch[]): void {
    if (calls.length === 0) return;
    const moved = new Set(calls.map((call) => call.place));
    this.#groups = this.#groups.map((group) => group.filter(({ place }) => !moved.has(place)));
    this.#groups.push(calls);
  }
}

/** What runs, in the order of the calls, and then what waits. */
function groupsOf({
  calls,
  functionCalls,
  outputCalls,
  markedCalls,
}: Round): (readonly CallInBatch[])[] {
  if (markedCalls.length === 0) return [calls];
  if (markedCalls.length === calls.length) return [markedCalls];
  const plain = [...functionCalls, ...outputCalls].toSorted((a, b) => a.place - b.place);
  return [plain, markedCalls];
}
