import { runOutputFunctions } from '../execution/process-output.ts';
import type { StepEvent } from '../events/run-events.ts';
import type { Run } from '../loop/run.ts';
import type { JsonObject } from '../internal/json.ts';
import type { ResponsePart } from '../messages/response-part.ts';
import type { OutputTool, WrappedSchema } from '../output/output-plan.ts';
import { PartialJson } from '../output/partial-json.ts';
import type { ParkedResult, RunResult } from './run-handle.ts';

type Event = StepEvent | { readonly kind: 'run-result'; readonly result: RunResult | ParkedResult };

/** Yields the received part of the output while a run streams. */
export async function* partialOutputs(
  events: AsyncIterable<Event>,
  runOf: () => Run,
): AsyncGenerator<unknown, void, void> {
  let incoming: IncomingOutput | undefined;
  let earlier = '';
  for await (const event of events) {
    if (event.kind === 'run-result') {
      if (event.result.status === 'finished') yield event.result.output;
    } else if (event.kind === 'part-start') {
      if (event.index === 0) earlier = '';
      incoming = incomingOutput(runOf(), event.part, event.index, earlier) ?? incoming;
      // Text arrives in deltas. The arguments of a call may arrive as an object, in the start of the part.
      const isCall = event.part.kind === 'tool-call';
      if (isCall && incoming?.index === event.index) yield* incoming.push('');
    } else if (event.kind === 'text-delta' || event.kind === 'args-delta') {
      if (incoming?.index === event.index) yield* incoming.push(event.text);
    } else if (event.kind === 'part-end') {
      if (incoming?.index === event.index) incoming = undefined;
      if (event.part.kind === 'text') earlier += event.part.content;
    }
  }
}

interface IncomingOutput {
  readonly index: number;
  /** Adds a piece of the output, and yields the output so far. */
  push(piece: string): AsyncGenerator<unknown, void, void>;
}

/** Returns the output that a part starts. `earlier`: the text of the parts before it, which belongs to the same output. */
function incomingOutput(
  run: Run,
  part: ResponsePart,
  index: number,
  earlier: string,
): IncomingOutput | undefined {
  const { text, tools } = run.outputPlan;
  if (part.kind === 'text' && text !== undefined) {
    const reader = text.native ? jsonReader(text.native.check) : textReader();
    // A text output function takes a string; a native output has no function.
    return makeIncoming(
      run,
      index,
      earlier + part.content,
      reader,
      text.execute as OutputTool['execute'],
    );
  }
  const tool = part.kind === 'tool-call' ? tools.get(part.toolName) : undefined;
  if (tool === undefined || part.kind !== 'tool-call') return undefined;
  const start =
    typeof part.args === 'object' && part.args ? JSON.stringify(part.args) : (part.args ?? '');
  return makeIncoming(run, index, start, jsonReader(tool.check), tool.execute, part);
}

/**
 * A function that reads an output piece by piece. It returns `undefined` before the first value.
 */
type Reader = (piece: string) => unknown;

function textReader(): Reader {
  let text = '';
  return (piece) => (text += piece);
}

function jsonReader({ outerKey }: WrappedSchema): Reader {
  const json = new PartialJson();
  return (piece) => {
    json.push(piece);
    const { value } = json;
    return outerKey === undefined ? value : (value as JsonObject | undefined)?.[outerKey];
  };
}

function makeIncoming(
  run: Run,
  index: number,
  start: string,
  read: Reader,
  execute: OutputTool['execute'],
  call?: { readonly toolName: string; readonly toolCallId: string },
): IncomingOutput {
  let pending = start;
  return {
    index,
    async *push(piece) {
      const value = read(pending + piece);
      pending = '';
      if (value === undefined) return;
      const outcome = await runOutputFunctions(run, value, execute, {
        ...(call && { toolName: call.toolName, toolCallId: call.toolCallId }),
        retry: run.outputRetriesUsed,
        maxRetries: run.outputRetries,
        partialOutput: true,
      });
      if (outcome.kind === 'output') yield outcome.output;
    },
  };
}
