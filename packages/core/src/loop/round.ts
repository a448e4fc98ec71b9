import { applyDecisions } from '../execution/apply-decisions.ts';
import { type EditableCall, editCheck } from '../gate/check-edit.ts';
import type { BatchResults, Deferral, CallInBatch } from '../execution/call-in-batch.ts';
import { type CallResult, toolReturn } from '../outcomes/outcome.ts';
import type { ExecutionScope } from '../execution/scope.ts';
import { invariant } from '../internal/invariant.ts';
import { NO_DETAILS } from '../messages/call-details.ts';
import { subAgentRequests } from '../deferred/sub-agent-run.ts';
import type { DeferredToolRequests } from '../deferred/requests.ts';
import { RequestsBuilder } from '../deferred/requests-builder.ts';
import type { DeferredToolResults } from '../deferred/results.ts';
import { UnexpectedModelBehavior } from '../errors/model-errors.ts';
import { quoteCalls } from '../errors/user-errors.ts';
import { callsWithDuplicateIds } from '../messages/message.ts';
import type { RequestPart } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { OutputTool } from '../output/output-plan.ts';

/** A call to an output tool. */
export interface OutputCall extends CallInBatch {
  readonly tool: OutputTool;
}

/** Results of calls that were not executed, or whose output was not used. */
export const SKIPPED = {
  tool: 'This tool was not executed, because the run already had its final result.',
  output: 'This output was not used, because the run already had its final result.',
  laterOutput: 'This output is valid, but another output is the final result.',
  invalidOutput: 'This output was not used, because it is invalid.',
  failedOutput: 'This output was not used, because its function failed.',
  retriesFirst:
    'This output was not used yet, because other calls of the response have to be retried first.',
} as const;

/** The calls of one response, with their results and deferrals so far. */
export class Round implements BatchResults {
  /** The calls of the response. */
  readonly #responseCalls: readonly ToolCallPart[];
  readonly calls: readonly CallInBatch[];
  /** Calls to function tools and to unknown tools. */
  readonly functionCalls: readonly CallInBatch[];
  readonly outputCalls: readonly OutputCall[];
  /** Calls to tools that always defer: external ones, then those that need approval. */
  readonly alwaysDeferredCalls: readonly CallInBatch[];
  /** The results, by index of the call. */
  readonly results: (CallResult | undefined)[];
  /** The deferrals of calls without a result, by index of the call. */
  readonly deferrals: (Deferral | undefined)[];
  /** The output of the run, and the index of its call; `undefined` if the output is text. */
  final: { readonly output: unknown; readonly index: number | undefined } | undefined;
  /** The number of outputs that the model has to retry. */
  failedOutputs = 0;
  /** The prompt that accompanied the decisions of this round. */
  prompt: RequestPart | undefined;
  /** The deferred calls, in the order in which they were deferred. */
  deferredCalls: readonly CallInBatch[] = [];
  /** The deferrals of calls that were decided since, by index of the call. */
  readonly #decided: (Deferral | undefined)[] = [];
  /** The order of the results in the request: the results of each group, then the content that its tools added. */
  #groups: (readonly CallInBatch[])[];

  /** `order`: the order of the results is that of the calls, or calls that are always deferred come last. */
  constructor(
    run: Pick<ExecutionScope, 'outputPlan' | 'tools'>,
    calls: readonly ToolCallPart[],
    order: 'calls' | 'deferred-last' = 'deferred-last',
  ) {
    this.#responseCalls = calls;
    this.calls = calls.map((call, index) => ({ call, index }));
    this.results = [];
    this.deferrals = [];
    const functions: CallInBatch[] = [];
    const outputs: OutputCall[] = [];
    const external: CallInBatch[] = [];
    const unapproved: CallInBatch[] = [];
    for (const batchCall of this.calls) {
      const { toolName } = batchCall.call;
      const tool = run.outputPlan.tools.get(toolName);
      const kind = run.tools.get(toolName)?.definition.kind;
      if (tool !== undefined) outputs.push({ ...batchCall, tool });
      else if (kind === 'external') external.push(batchCall);
      else if (kind === 'unapproved') unapproved.push(batchCall);
      else functions.push(batchCall);
    }
    this.functionCalls = functions;
    this.outputCalls = outputs;
    this.alwaysDeferredCalls = [...external, ...unapproved];
    if (order === 'calls' || functions.length === calls.length) {
      this.#groups = [this.calls];
    } else {
      const executed = [...functions, ...outputs].toSorted((a, b) => a.index - b.index);
      this.#groups = [executed, this.alwaysDeferredCalls];
    }
  }

  /** Resolves a call with a fixed message instead of executing it. */
  skip({ call, index }: CallInBatch, reason: string): CallResult {
    const result = { part: toolReturn(call, reason, 'success') };
    this.results[index] = result;
    return result;
  }

  /** Ends the round with an output that is text: no call executes. */
  skipAll(output: unknown): void {
    for (const call of this.calls) this.skip(call, SKIPPED.tool);
    this.final = { output, index: undefined };
  }

  /** Skips the deferred calls, because the run has its output. */
  skipDeferred(): void {
    for (const call of this.alwaysDeferredCalls) this.skip(call, SKIPPED.tool);
    const skipped = this.deferredCalls;
    this.deferredCalls = [];
    for (const call of skipped) {
      this.deferrals[call.index] = undefined;
      this.skip(call, SKIPPED.tool);
    }
    this.#moveToEnd(skipped);
  }

  /** Returns the calls that have neither a result nor a deferral. */
  unresolved(calls: readonly CallInBatch[]): readonly CallInBatch[] {
    return calls.filter(({ index }) => !this.results[index] && !this.deferrals[index]);
  }

  /** Puts the results of outputs before everything else. */
  outputsFirst(): void {
    this.#groups = [[...this.outputCalls, ...this.functionCalls], this.alwaysDeferredCalls];
  }

  /** Puts the content that tools added before the result of the next output. */
  splitAtOutputs(): void {
    const outputs = new Set(this.outputCalls.map(({ index }) => index));
    const deferred = new Set(this.alwaysDeferredCalls.map(({ index }) => index));
    let group: CallInBatch[] = [];
    const groups = [group];
    for (const call of this.calls) {
      if (deferred.has(call.index)) continue;
      if (outputs.has(call.index)) groups.push([call], (group = []));
      else group.push(call);
    }
    this.#groups = [...groups, this.alwaysDeferredCalls];
  }

  /** Returns the deferral of a deferred call. */
  deferralOf({ index }: CallInBatch): Deferral {
    return invariant(this.deferrals[index], 'every deferred call has a deferral');
  }

  /** Adds the calls that have a deferral to the deferred calls. */
  trackDeferred(calls: readonly CallInBatch[]): void {
    if (this.deferrals.length === 0) return;
    const known = new Set(this.deferredCalls.map(({ index }) => index));
    const added = calls.filter(({ index }) => this.deferrals[index] && !known.has(index));
    this.deferredCalls = [...this.deferredCalls, ...added];
  }

  /** Reopens decided calls that have no outcome, so that an approver reviews them again. */
  reopenUnsettled(): void {
    for (const { index } of this.calls) {
      if (this.results[index] || this.deferrals[index]) continue;
      this.deferrals[index] = this.#decided[index];
    }
    this.trackDeferred(this.calls);
  }

  /** Returns the requests for the deferred calls. `parkings`: how often the step was parked before. */
  requests(run: ExecutionScope & { stepName(): string }, parkings: number): DeferredToolRequests {
    this.#requireUniqueIds();
    // The tools of this step: the next step may have others.
    const { tools } = run;
    const requests = new RequestsBuilder(
      { name: run.stepName(), round: parkings },
      (toolName) => tools.get(toolName)?.definition,
    );
    const editable: EditableCall[] = [];
    for (const deferred of this.deferredCalls) {
      const { call } = deferred;
      const deferral = this.deferralOf(deferred);
      if (deferral.kind === 'sub-agent') {
        requests.addNested(call, subAgentRequests(call, deferral.messages));
      } else {
        requests.add(call, deferral);
        editable.push({ call, details: deferral.details });
      }
    }
    return requests.build(editCheck(run, editable));
  }

  /** Removes the calls that `results` resolves from the deferred calls, and returns them: approvals first, sub-agents last. */
  takeDecided(results: DeferredToolResults): CallInBatch[] {
    const byKind = {
      approval: [] as CallInBatch[],
      external: [] as CallInBatch[],
      'sub-agent': [] as CallInBatch[],
    };
    for (const batchCall of this.deferredCalls) {
      const deferral = this.deferralOf(batchCall);
      const request =
        deferral.kind === 'sub-agent'
          ? deferral
          : { ...deferral, details: deferral.details ?? NO_DETAILS };
      const decided = applyDecisions(batchCall, request, results, true);
      if (decided !== undefined) byKind[deferral.kind].push(decided);
    }
    const decided = [...byKind.approval, ...byKind.external, ...byKind['sub-agent']];
    for (const { index } of decided) {
      this.#decided[index] = this.deferrals[index];
      this.deferrals[index] = undefined;
    }
    this.deferredCalls = this.deferredCalls.filter(
      ({ index }) => this.deferrals[index] !== undefined,
    );
    this.#moveToEnd(decided);
    return decided;
  }

  /** Returns the parts of the next request. */
  parts(): RequestPart[] {
    const parts: RequestPart[] = [];
    for (const group of this.#groups) {
      const contents: RequestPart[] = [];
      for (const { index } of group) {
        const result = this.results[index];
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

  /** Throws if a deferred call shares its id with another call of the response: decisions are by id. */
  #requireUniqueIds(): void {
    const deferred = this.deferredCalls.map(({ call }) => call);
    const duplicates = callsWithDuplicateIds(deferred, this.#responseCalls);
    if (duplicates.length === 0) return;
    throw new UnexpectedModelBehavior(
      `Deferred calls share their id with another call: ${quoteCalls(duplicates)}. ` +
        'A decision would be ambiguous. Start the run again.',
    );
  }

  #moveToEnd(calls: readonly CallInBatch[]): void {
    if (calls.length === 0) return;
    const moved = new Set(calls.map((call) => call.index));
    this.#groups = this.#groups.map((group) => group.filter(({ index }) => !moved.has(index)));
    this.#groups.push(calls);
  }
}
