import { Agent, type EndStrategy, ModelRetry, type RunResult, tool } from 'holdpoint';
import { calls, type ResponseDraft, scriptedModel } from 'holdpoint/testing';
import { expect } from 'vitest';
import { z } from 'zod';
import { workTool } from '../../support/work-tool.ts';

export const Answer = z.object({ answer: z.string() });
export const TAKEN = /final result was taken/;
export const TOOL_NOT_RUN = /not run: the final result/;
export const OUTPUT_NOT_USED = /not used: the final result/;
export const LATER_OUTPUT = /another one became the final result/;
export const RETRIES_FIRST = /have to be retried first/;

export const answers = (answer: string, id: string) => calls('final_result', { answer }, { id });
export const wrong = (id: string) => calls('final_result', { answer: 1 }, { id });

/** An agent with a tool that notes its calls, one that wants a retry, and an output. */
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
  const agent = new Agent({ model, tools: [work, picky], output: Answer, endStrategy });
  return { agent, model, log };
}

/** What the calls of the response at `position` were told, in the order of the parts. */
export function told(result: RunResult, position: number): unknown[] {
  const request = result.messages[position + 1];
  return (request?.kind === 'request' ? request.parts : []).map((part) =>
    part.kind === 'tool-return' || part.kind === 'retry-prompt'
      ? [part.toolCallId, part.content]
      : part,
  );
}

export const matching = (pattern: RegExp) => expect.stringMatching(pattern);
export const issue = expect.arrayContaining([expect.objectContaining({ path: ['answer'] })]);
export const work = (on: string, id: string) => calls('work', { on }, { id });
