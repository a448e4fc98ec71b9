import type { AgentEvent, ToolCallPart } from 'holdpoint';
import { describeRequests, describeResults } from './describe-deferred.ts';
import { describePart } from './describe-message.ts';
import { describeOutput } from './describe-output.ts';
import type { Described } from './describe.ts';

/**
 * Adds an event to a log in the format of the vectors. There, the start of a part contains its
 * first text, and the start of a response has no event.
 */
export function logEvent(log: Described[], event: AgentEvent): void {
  if (event.kind === 'response-start' || event.kind === 'sub-agent-event') return;
  const started = log.findLastIndex((one) => one['event'] === 'part_start');
  const start = log[started];
  if (start !== undefined && 'text' in event && start['index'] === event.index) {
    // The parts in the log are descriptions.
    const part = start['part'] as Described;
    const text = 'args' in part ? 'args' : 'content';
    if (part[text] === '') {
      log[started] = { ...start, part: { ...part, [text]: event.text } };
      return;
    }
  }
  log.push(describeEvent(event));
}

type LoggedEvent = Exclude<AgentEvent, { readonly kind: 'response-start' | 'sub-agent-event' }>;

/** Describes an event in the format of the vectors. */
function describeEvent(event: LoggedEvent): Described {
  switch (event.kind) {
    case 'part-start':
      return { event: 'part_start', index: event.index, part: describePart(event.part) };
    case 'part-end':
      return { event: 'part_end', index: event.index, part: describePart(event.part) };
    case 'text-delta':
      return delta(event.index, { content_delta: event.text, part_delta_kind: 'text' });
    case 'thinking-delta':
      return delta(event.index, { content_delta: event.text, part_delta_kind: 'thinking' });
    case 'args-delta':
      return delta(event.index, { args_delta: event.text, part_delta_kind: 'tool_call' });
    case 'final-result':
      return {
        event: 'final_result',
        tool_name: event.toolName ?? null,
        tool_call_id: event.toolCallId ?? null,
      };
    case 'tool-call':
      return call('function_tool_call', event.part, event.argsValid);
    case 'output-tool-call':
      return call('output_tool_call', event.part, event.argsValid);
    case 'tool-result':
      return {
        event: 'function_tool_result',
        part: describePart(event.part),
        ...(event.content === undefined ? {} : { content: event.content }),
      };
    case 'output-tool-result':
      return { event: 'output_tool_result', part: describePart(event.part) };
    case 'tools-available':
      return { event: 'tool_availability_delta', part: describePart(event.part) };
    case 'deferred-requests':
      return { event: 'deferred_tool_requests', requests: describeRequests(event.requests) };
    case 'deferred-results':
      return { event: 'deferred_tool_results', results: describeResults(event.results) };
    case 'run-result':
      return { event: 'agent_run_result', output: describeOutput(event.result.output) };
  }
}

function delta(index: number, fields: Described): Described {
  return { event: 'part_delta', index, delta: fields };
}

function call(event: string, part: ToolCallPart, argsValid: boolean | undefined): Described {
  return {
    event,
    tool_name: part.toolName,
    tool_call_id: part.toolCallId,
    args: part.args,
    args_valid: argsValid ?? null,
  };
}
