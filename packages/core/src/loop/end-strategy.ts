import { executeBatch } from '../execution/execute-batch.ts';
import type { CallInBatch } from '../execution/call-in-batch.ts';
import { type CallResult, type RetryOutcome, resultOf } from '../outcomes/outcome.ts';
import {
  checkToolOutput,
  finishToolOutput,
  type OutputOutcome,
} from '../execution/process-output.ts';
import { type OutputCall, type Round, SKIPPED } from './round.ts';
import type { Run } from './run.ts';

/** Executes the calls of a round in the order, and as far as, the end strategy of the run says. */
export async function applyEndStrategy(run: Run, round: Round): Promise<void> {
  if (round.outputCalls.length === 0) {
    await executeBatch(run, round.unresolved(round.functionCalls), round);
    return;
  }
  switch (run.setup.endStrategy) {
    case 'early':
      return early(run, round);
    case 'graceful':
      await graceful(run, round);
      break;
    case 'exhaustive':
      await exhaustive(run, round);
      break;
  }
  if (round.final !== undefined && functionNeedsRetry(run, round)) retryFirst(round);
}

/** Outputs first: the first valid one ends the round, and no function executes. */
async function early(run: Run, round: Round): Promise<void> {
  round.outputsFirst();
  for (const call of round.outputCalls) await resolveOutput(run, round, call);
  if (round.final === undefined)
    await executeBatch(run, round.unresolved(round.functionCalls), round);
  else for (const call of round.functionCalls) round.skip(call, SKIPPED.tool);
}

/** In call order: functions before an output finish first, those after a valid one still execute. */
async function graceful(run: Run, round: Round): Promise<void> {
  let pending: CallInBatch[] = [];
  const outputs = outputsByIndex(round);
  const marked = new Set(round.alwaysDeferredCalls);
  for (const call of round.calls) {
    if (marked.has(call)) continue;
    const output = outputs.get(call.index);
    if (output === undefined) {
      pending.push(call);
      continue;
    }
    if (pending.length > 0) await executeBatch(run, round.unresolved(pending), round);
    pending = [];
    await resolveOutput(run, round, output);
  }
  if (pending.length > 0) await executeBatch(run, round.unresolved(pending), round);
}

/** All calls execute, a sequential output alone. The first valid output in call order wins. */
async function exhaustive(run: Run, round: Round): Promise<void> {
  const processed = new Map<number, ProcessedOutput>();
  for (const segment of outputSegments(round)) await processSegment(run, round, segment, processed);
  for (const outcome of processed.values()) if (outcome.kind === 'error') throw outcome.error;
  const decided = [...processed.values()].some((outcome) => outcome.kind === 'output');
  for (const call of round.outputCalls) {
    // Every output call was processed.
    await finishOutput(run, round, call, processed.get(call.index)!, decided);
  }
}

/** Calls that run together: functions and outputs. */
interface Segment {
  readonly functions: CallInBatch[];
  readonly outputs: OutputCall[];
}

function outputSegments(round: Round): Segment[] {
  const outputs = outputsByIndex(round);
  const marked = new Set(round.alwaysDeferredCalls);
  let current: Segment = { functions: [], outputs: [] };
  const segments: Segment[] = [current];
  for (const call of round.calls) {
    const output = outputs.get(call.index);
    if (output?.tool.definition.sequential) {
      current = { functions: [], outputs: [] };
      segments.push({ functions: [], outputs: [output] }, current);
    } else if (output !== undefined) {
      current.outputs.push(output);
    } else if (!marked.has(call)) {
      current.functions.push(call);
    }
  }
  return segments;
}

async function processSegment(
  run: Run,
  round: Round,
  { functions, outputs }: Segment,
  processed: Map<number, ProcessedOutput>,
): Promise<void> {
  const processing = outputs.map((call) => processOutput(run, call));
  if (functions.length > 0) await executeBatch(run, round.unresolved(functions), round);
  // Not `environment.all`, which takes only promises of the environment. These never reject.
  for (const [index, call] of outputs.entries()) {
    processed.set(call.index, await processing[index]!);
  }
}

function outputsByIndex(round: Round): ReadonlyMap<number, OutputCall> {
  return new Map(round.outputCalls.map((call) => [call.index, call]));
}

/** Processes one output call, unless the round has its output already. */
async function resolveOutput(run: Run, round: Round, call: OutputCall): Promise<void> {
  if (round.final === undefined) {
    return finishOutput(run, round, call, await processOutput(run, call), false);
  }
  await emitOutputCall(run, call, undefined);
  await emitOutputResult(run, round.skip(call, SKIPPED.output));
}

/** The outcome of an output call, as data. */
type ProcessedOutput =
  | OutputOutcome
  | { readonly kind: 'invalid'; readonly content: RetryOutcome['content'] }
  | { readonly kind: 'error'; readonly error: unknown };

async function processOutput(run: Run, { call, tool }: OutputCall): Promise<ProcessedOutput> {
  try {
    const checked = await checkToolOutput(tool, call);
    if (!checked.ok) return { kind: 'invalid', content: checked.issues };
    return await finishToolOutput(run, tool, call, checked.value);
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** Answers an output call; `decided`: another call of the round may be the output, so none is fatal. */
async function finishOutput(
  run: Run,
  round: Round,
  call: OutputCall,
  processed: ProcessedOutput,
  decided: boolean,
): Promise<void> {
  const skipped = decided && isExhausted(run, call);
  switch (processed.kind) {
    case 'invalid': {
      const retry: RetryOutcome = { kind: 'retry', content: processed.content };
      const result = skipped
        ? round.skip(call, SKIPPED.invalidOutput)
        : reject(run, round, call, retry);
      await emitOutputCall(run, call, false);
      return emitOutputResult(run, result);
    }
    case 'error':
      await emitOutputCall(run, call, true);
      throw processed.error;
    case 'retry': {
      await emitOutputCall(run, call, true);
      const result = skipped
        ? round.skip(call, SKIPPED.failedOutput)
        : reject(run, round, call, processed);
      return emitOutputResult(run, result);
    }
    case 'output':
      await emitOutputCall(run, call, true);
      return emitOutputResult(run, accept(round, call, processed.output));
  }
}

/** The first valid output is that of the run. */
function accept(round: Round, call: OutputCall, output: unknown): CallResult {
  if (round.final !== undefined) return round.skip(call, SKIPPED.laterOutput);
  round.final = { output, index: call.index };
  return round.skip(call, 'The final result was taken.');
}

/** Sends an output back to the model; throws if it may not try again. */
function reject(
  run: Run,
  round: Round,
  { call, index, tool }: OutputCall,
  outcome: RetryOutcome,
): CallResult {
  const maxRetries = tool.maxRetries ?? run.outputRetries;
  run.counter.failed(call.toolName, maxRetries, outcome, 'output');
  round.outputFailed = true;
  const result = resultOf(call, outcome);
  round.results[index] = result;
  return result;
}

function isExhausted(run: Run, { call, tool }: OutputCall): boolean {
  return run.counter.of(call.toolName) >= (tool.maxRetries ?? run.outputRetries);
}

async function emitOutputCall(
  run: Run,
  { call }: OutputCall,
  argsValid: boolean | undefined,
): Promise<void> {
  await run.emit({ kind: 'output-tool-call', part: call, argsValid });
}

async function emitOutputResult(run: Run, { part }: CallResult): Promise<void> {
  await run.emit({ kind: 'output-tool-result', part });
}

function functionNeedsRetry(run: Run, round: Round): boolean {
  return round.functionCalls.some(
    ({ call, index }) =>
      round.results[index]?.part.kind === 'retry-prompt' &&
      run.tools.get(call.toolName)?.definition.kind === 'function',
  );
}

/** Discards the output, because the model has to retry a function call first. */
function retryFirst(round: Round): void {
  const index = round.final?.index;
  // The output came from one of the calls.
  if (index !== undefined) round.skip(round.calls[index]!, SKIPPED.retriesFirst);
  round.final = undefined;
}
