import type { AgentEvent, DeferredToolRequests, JsonValue } from 'holdpoint';
import type { ToolResultPart } from 'holdpoint/messages';
import type { output } from './agent.ts';
import { sealed } from './sealed.ts';

/** Formats an event for the page; returns `undefined` if the page does not show it. */
export async function toServerEvent(event: AgentEvent<typeof output>): Promise<string | undefined> {
  switch (event.kind) {
    case 'text-delta':
      return format('text', event.text);
    case 'tool-call':
      return format('tool', { name: event.part.toolName, state: 'runs' });
    case 'tool-result':
      return format('tool', { name: event.part.toolName ?? null, state: stateOf(event.part) });
    case 'run-result': {
      const { result } = event;
      if (result.status === 'finished') return format('done', {});
      const requests = requestsOf(result.output);
      return format('parked', { token: await sealed.seal(result), requests });
    }
    default:
      return undefined;
  }
}

/** Returns the outcome of a call, such as `success` or `denied`. */
function stateOf(part: ToolResultPart): string {
  return part.kind === 'tool-return' ? part.outcome : 'again';
}

/** Returns the approval requests, with the digests that the results carry. */
function requestsOf(requests: DeferredToolRequests): JsonValue {
  return requests.approvals.map((call) => {
    const { preview = null, digest = null } = requests.get(call).details;
    return { id: call.toolCallId, tool: call.toolName, preview, digest };
  });
}

function format(name: string, data: JsonValue): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
