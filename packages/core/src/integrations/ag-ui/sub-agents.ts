import type { AgentCall } from '../../deferred/nested-calls.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { ToolResultPart } from '../../messages/request-part.ts';
import type { ClientCallIds } from '../front-end/call-ids.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import type { AgUiAttribution } from './ag-ui-message.ts';
import { isInterrupt, subAgentId } from './interrupts.ts';
import { ResponseFold } from './response-fold.ts';

/** A sub-agent at the time of an event. */
interface ActiveSubAgent {
  readonly tag: AgUiAttribution;
  /** The events that start it, if it is new. */
  readonly events: AgUiEvent[];
  /** Its responses; `undefined` if it has ended in this run. */
  readonly responses: ResponseFold | undefined;
}

/** The sub-agents of a run. The id of a sub-agent is that of the call that started it. */
export class SubAgents {
  readonly #ids: ClientCallIds;
  readonly #see: (toolCallId: string) => string;
  readonly #active = new Map<string, ResponseFold>();
  /** The ids of sub-agents that have ended. AG-UI does not allow them to start again in the same run. */
  readonly #ended = new Set<string>();

  /** `see` records that the client has a call. */
  constructor(ids: ClientCallIds, see: (toolCallId: string) => string) {
    this.#ids = ids;
    this.#see = see;
  }

  /** Returns the fields that attribute an event to the sub-agent at a path; none for the run itself. */
  tagOf(path: readonly AgentCall[]): AgUiAttribution {
    return path.length === 0 ? {} : { subagentRunId: subAgentId(this.#ids, path) };
  }

  /** Returns the sub-agent at a path. */
  at(path: readonly AgentCall[]): ActiveSubAgent {
    const events = this.start(path);
    const id = subAgentId(this.#ids, path);
    return { tag: { subagentRunId: id }, events, responses: this.#active.get(id) };
  }

  /** Starts the sub-agents of a path that are not active. */
  start(path: readonly AgentCall[]): AgUiEvent[] {
    return path.flatMap(({ toolName }, depth) => {
      const agents = path.slice(0, depth + 1);
      const subagentRunId = subAgentId(this.#ids, agents);
      if (this.#active.has(subagentRunId) || this.#ended.has(subagentRunId)) return [];
      const callId = (toolCallId: string) => this.#see(this.#ids.nested(agents, toolCallId));
      const responses = new ResponseFold({ subagentRunId }, (part) => callId(part.toolCallId));
      this.#active.set(subagentRunId, responses);
      const parent = depth > 0 && {
        parentSubagentRunId: subAgentId(this.#ids, path.slice(0, depth)),
      };
      const parentToolCallId = subagentRunId;
      return [
        { type: 'SUBAGENT_STARTED', subagentRunId, name: toolName, parentToolCallId, ...parent },
      ];
    });
  }

  /** Ends the sub-agent that a call started, if the call started one, and the sub-agents of that sub-agent. */
  settle(toolCallId: string, part: ToolResultPart): AgUiEvent[] {
    const isFailed = part.kind === 'tool-return' && part.outcome === 'failed';
    return this.#nestedFirst()
      .filter((id) => id === toolCallId || id.startsWith(`${toolCallId}/`))
      .flatMap((id) => [
        ...this.#close(id),
        isFailed
          ? { type: 'SUBAGENT_ERROR', subagentRunId: id, message: 'The sub-agent failed.' }
          : { type: 'SUBAGENT_FINISHED', subagentRunId: id, outcome: { type: 'success' } },
      ]);
  }

  /** Ends all sub-agents. Those with pending calls are suspended. */
  finish(requests: DeferredToolRequests | undefined): AgUiEvent[] {
    const pending = [...(requests ?? [])];
    return this.#nestedFirst().flatMap((id) => {
      const calls = pending.filter((call) => this.#ids.ofPending(call).startsWith(`${id}/`));
      const interruptIds = calls.filter(isInterrupt).map((call) => call.id);
      const outcome =
        calls.length === 0
          ? ({ type: 'success' } as const)
          : ({ type: 'suspended', ...(interruptIds.length > 0 && { interruptIds }) } as const);
      return [...this.#close(id), { type: 'SUBAGENT_FINISHED', subagentRunId: id, outcome }];
    });
  }

  #close(id: string): AgUiEvent[] {
    const events = this.#active.get(id)?.close() ?? [];
    this.#active.delete(id);
    this.#ended.add(id);
    return events;
  }

  /** Returns the ids of the active sub-agents. A sub-agent precedes the one that started it. */
  #nestedFirst(): string[] {
    return [...this.#active.keys()].toReversed();
  }
}
