import { Agent, type EndStrategy, ModelRetry, type RunResult, tool } from 'holdpoint';
import { calls, type ResponseDraft, scriptedModel } from 'holdpoint/testing';
import { expect } from 'vitest';
import { z } from 'zod';
import { workTool } from '../../support/work-tool.ts';

export const FinalOutput = z.object({ value: z.string() });
export const TAKEN = /final result was taken/;
export const TOOL_NOT_RUN = /not executed, because the run already had its final result/;
export const OUTPUT_NOT_USED = /not used, because the run already had its final result/;
export const LATER_OUTPUT = /another output is the final result/;
export const RETRIES_FIRST = /have to be retried first/;

export const finalOutput = (value: string, id: string) =>
  calls('final_result', { value: value }, { id });
export const wrong = (id: string) => calls('final_result', { value: 1 }, { id });

/** An agent with a tool that records its calls, a tool that requests a retry, and an output. */
export function makeAgent(
  endStrategy: EndStrategy | undefined,
  ...script: (ResponseDraft | string)[]
) {
  const { log, work } = workTool();
  const picky = tool({
    name: 'picky',
    execute() {
      throw new ModelRetry('Not like that.');
    },
  });
  const model = scriptedModel(...script);
  const agent = new Agent({ model, tools: [work, picky], output: FinalOutput, endStrategy });
  return { agent, model, log };
}

/** Returns the results of the calls of the response at `position`, in the order of the parts. */
export function resultsAt(result: RunResult, position: number): unknown[] {
  const request = result.messages[position + 1];
  return (request?.kind === 'request' ? request.parts : []).map((part) =>
    part.kind === 'tool-return' || part.kind === 'retry-prompt'
      ? [part.toolCallId, part.content]
      : part,
  );
}

export const matching = (pattern: RegExp) => expect.stringMatching(pattern);
export const issue = expect.arrayContaining([expect.objectContaining({ path: ['value'] })]);
export const work = (on: string, id: string) => calls('work', { on }, { id });
