import type { PlacedCall } from '../execution/execute-batch.ts';
import { type CallResult, toolReturn } from '../execution/outcome.ts';
import type { RequestPart } from '../messages/request-part.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { OutputTool } from '../output/output-plan.ts';
import type { Run } from './run.ts';

/** A call to an output tool and its place. */
export interface OutputCall extends PlacedCall {
  readonly tool: OutputTool;
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
export class Round {
  readonly calls: readonly PlacedCall[];
  readonly functionCalls: readonly PlacedCall[];
  readonly outputCalls: readonly OutputCall[];
  /** What came of each call, by its place. */
  readonly results: (CallResult | undefined)[];
  /** The output of the run, and the place of the call that gave it. */
  final: { readonly output: unknown; readonly place: number | undefined } | undefined;
  /** Whether an output was sent back to the model. */
  outputFailed = false;
  /** Whether outputs come before everything else in the request. */
  outputsFirst = false;

  constructor(run: Run, calls: readonly ToolCallPart[]) {
    this.calls = calls.map((call, place) => ({ call, place }));
    this.results = Array.from({ length: calls.length });
    const { tools } = run.outputPlan;
    if (tools.size === 0) {
      this.functionCalls = this.calls;
      this.outputCalls = [];
      return;
    }
    this.functionCalls = this.calls.filter(({ call }) => !tools.has(call.toolName));
    this.outputCalls = this.calls.flatMap(({ call, place }) => {
      const tool = tools.get(call.toolName);
      return tool === undefined ? [] : [{ call, place, tool }];
    });
  }

  /** Answers a call with a word of ours instead of a result of its own. */
  skip({ call, place }: PlacedCall, reason: string): CallResult {
    const result = { part: toolReturn(call, reason, 'success') };
    this.results[place] = result;
    return result;
  }

  /** The answer beside the calls is the output: none of them runs. */
  skipAll(output: unknown): void {
    for (const call of this.calls) this.skip(call, SKIPPED.tool);
    this.final = { output, place: undefined };
  }

  /** What the next request says: results in order, then what tools show beside them. */
  parts(): RequestPart[] {
    const parts: RequestPart[] = [];
    const contents: RequestPart[] = [];
    for (const { place } of this.#inOrder()) {
      const result = this.results[place];
      if (result === undefined) continue;
      parts.push(result.part);
      if (result.delta !== undefined) parts.push(result.delta);
      if (result.content !== undefined) contents.push(result.content);
    }
    return contents.length > 0 ? parts.concat(contents) : parts;
  }

  #inOrder(): readonly PlacedCall[] {
    return this.outputsFirst ? [...this.outputCalls, ...this.functionCalls] : this.calls;
  }
}
