import { UnexpectedModelBehavior } from '../../errors/model-errors.ts';
import { isPlainText, processTextOutput } from '../../execution/process-output.ts';
import { type ModelResponse, textOf } from '../../messages/message.ts';
import type { RetryPromptPart } from '../../messages/request-part.ts';
import type { Run } from '../run.ts';
import type { FinishedRun } from '../../events/run-end.ts';
import type { Step } from '../step.ts';

/** Makes the output from a response without tool calls, or requests another response from the model. */
export async function finishWithText(run: Run, response: ModelResponse): Promise<Step> {
  const { text: textOutput, allowsNone } = run.outputPlan;
  const text = textOf(response);
  if (text !== '' && textOutput !== undefined) {
    if (isPlainText(run, textOutput)) return { kind: 'finished', output: text };
    const outcome = await processTextOutput(run, textOutput, text);
    return outcome.kind === 'output'
      ? { kind: 'finished', output: outcome.output }
      : retryOutput(run, outcome.content, outcome.cause);
  }
  if (text === '' && allowsNone) return { kind: 'finished', output: null };
  return retryOutput(run, expectedOutput(run));
}

/** Returns the output that the text of a response is; `undefined` if it is not a valid one. */
export async function tryTextOutput(
  run: Run,
  response: ModelResponse,
): Promise<FinishedRun | undefined> {
  const text = textOf(response);
  if (text === '' || run.outputPlan.text === undefined) return undefined;
  const outcome = await processTextOutput(run, run.outputPlan.text, text);
  return outcome.kind === 'output' ? { kind: 'finished', output: outcome.output } : undefined;
}

function retryOutput(run: Run, content: RetryPromptPart['content'], cause?: unknown): Step {
  if (run.outputRetriesUsed >= run.outputRetries) {
    throw new UnexpectedModelBehavior(
      `The model returned no valid output in ${run.outputRetries + 1} attempts. ` +
        'Raise `retries.output` of the agent, or simplify the output.',
      { cause: cause ?? content },
    );
  }
  run.outputRetriesUsed += 1;
  return { kind: 'request-model', parts: [Object.freeze({ kind: 'retry-prompt', content })] };
}

function expectedOutput(run: Run): string {
  const { text, tools } = run.outputPlan;
  const ways: string[] = [];
  if (text !== undefined) ways.push('respond with text');
  if (tools.size > 0) ways.push(`call ${[...tools.keys()].join(' or ')} with the output`);
  else if (run.tools.size > 0) ways.push('call a tool');
  if (run.outputPlan.allowsNone) ways.push('send an empty response');
  return `The response has no valid output. Please ${ways.join(' or ')}.`;
}
