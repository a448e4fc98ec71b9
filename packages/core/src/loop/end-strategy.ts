import { type EmitEvent, executeBatch } from '../execution/execute-batch.ts';
import type { CallInBatch } from '../execution/call-in-batch.ts';
import { type CallResult, type RetryOutcome, resultOf } from '../outcomes/outcome.ts';
import {
  checkToolOutput,
  finishToolOutput,
  type OutputOutcome,
} from '../execution/process-output.ts';
import { invariant } from '../internal/invariant.ts';
import { type OutputCall, type Round, SKIPPED } from './round.ts';
import type { Run } from './run.ts';

/** Executes the calls of a round with outputs that the end strategy of the run selects, in its order. */
export async function applyEndStrategy(run: Run, round: Round): Promise<void> {
  switch (run.setup.endStrategy) {
    case 'early':
      return await early(run, round);
    case 'graceful':
      await graceful(run, round);
      break;
    case 'exhaustive':
      await exhaustive(run, round);
      break;
  }
  if (round.final !== undefined && functionNeedsRetry(run, round)) retryFirst(round);
}

/** Processes outputs first. The first valid one ends the round, and no function executes. */
async function early(run: Run, round: Round): Promise<void> {
  round.outputsFirst();
  for (const call of round.outputCalls) await resolveOutput(run, round, call);
  if (round.final === undefined)
    await executeBatch(run, round.unresolved(round.functionCalls), round);
  else for (const call of round.functionCalls) round.skip(call, SKIPPED.tool);
}

/** Executes in call order: functions before an output finish first, and functions after a valid one still execute. */
async function graceful(run: Run, round: Round): Promise<void> {
  round.splitAtOutputs();
  let pending: CallInBatch[] = [];
  const outputs = outputsByIndex(round);
  const deferred = new Set(round.alwaysDeferredCalls);
  for (const call of round.calls) {
    if (deferred.has(call)) continue;
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

/** Executes all calls, a sequential tool or output alone. The first valid output in call order wins. */
async function exhaustive(run: Run, round: Round): Promise<void> {
  const processed = new Map<number, ProcessedOutput>();
  const outputs = round.outputCalls.map((call) => ({
    index: call.index,
    isSequential: call.tool.definition.sequential,
    process: async () => {
      const outcome = await processOutput(run, call);
      processed.set(call.index, outcome);
      return outcome.kind === 'error' ? outcome : undefined;
    },
  }));
  const heldEvents = new Map<number, EmitEvent>();
  await executeBatch(run, round.unresolved(round.functionCalls), round, { outputs, heldEvents });
  const decided = [...processed.values()].some((outcome) => outcome.kind === 'output');
  const outputCalls = outputsByIndex(round);
  for (const { index } of round.calls) {
    const call = outputCalls.get(index);
    if (call === undefined) {
      await heldEvents.get(index)?.();
      continue;
    }
    const outcome = invariant(processed.get(index), 'every output call was processed');
    await finishOutput(run, round, call, outcome, decided);
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

/**
 * Settles an output call. `decided`: the round has a valid output, so a failed one does not end the
 * run.
 */
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
        : rejectOutput(run, round, call, retry);
      await emitOutputCall(run, call, false);
      return emitOutputResult(run, result);
    }
    case 'error':
      throw processed.error;
    case 'retry': {
      const result = skipped
        ? round.skip(call, SKIPPED.failedOutput)
        : rejectOutput(run, round, call, processed);
      await emitOutputCall(run, call, true);
      return emitOutputResult(run, result);
    }
    case 'output':
      await emitOutputCall(run, call, true);
      run.counter.succeeded(call.call.toolName);
      return emitOutputResult(run, acceptOutput(round, call, processed.output));
  }
}

/** Makes an output that of the run, unless an earlier one is valid. */
function acceptOutput(round: Round, call: OutputCall, output: unknown): CallResult {
  if (round.final !== undefined) return round.skip(call, SKIPPED.laterOutput);
  round.final = { output, index: call.index };
  return round.skip(call, 'The final result was taken.');
}

/** Returns an output to the model. Throws if it has no retry left. */
function rejectOutput(
  run: Run,
  round: Round,
  { call, index, tool }: OutputCall,
  outcome: RetryOutcome,
): CallResult {
  const maxRetries = tool.maxRetries ?? run.outputRetries;
  run.counter.failed(call.toolName, maxRetries, outcome, 'output');
  round.failedOutputs += 1;
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
  const call = index === undefined ? undefined : round.calls[index];
  if (call !== undefined) round.skip(call, SKIPPED.retriesFirst);
  round.final = undefined;
}
