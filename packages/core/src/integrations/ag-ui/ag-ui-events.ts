import type { AgentCall } from '../../deferred/nested-calls.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { checkRequiredOptions, type OptionTable } from '../../errors/check-options.ts';
import type { RunEvent, SubAgentEvent } from '../../events/run-events.ts';
import { toFrozenJson } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import type { ToolResultPart } from '../../messages/request-part.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { ClientCallIds, inputOfPending } from '../front-end/call-values.ts';
import type { ChatEvent, ChatResult } from '../front-end/chat-backend.ts';
import { interruptOutcome, isInterrupt, subAgentId } from './interrupts.ts';
import type { AgUiAttribution, AgUiEvent } from './protocol.ts';
import { ResponseFold, resultEvent, wholeCallEvents } from './response-fold.ts';
import type { ClientRun } from './run-input.ts';

/** Options of {@link agUiEvents}. */
export interface AgUiEventsOptions {
  /** The id of the thread, as the client sent it. */
  readonly threadId: string;
  /** The id of the run, as the client sent it. */
  readonly runId: string;
  /** The protocol version that the client sent. Without it, the events suit clients before 1.0. */
  readonly protocolVersion?: string | undefined;
  /** The history that the run started with. Without it, calls may share an id with calls of earlier responses. */
  readonly messageHistory?: readonly Message[] | undefined;
  /** The pending calls that the run resumes with. The client has them already. */
  readonly resumed?: DeferredToolRequests | undefined;
  /** Returns the text for the client when the run fails. Without it, the text does not reveal the error. */
  readonly errorText?: ((error: unknown) => string) | undefined;
}

const AG_UI_EVENT_OPTIONS: OptionTable<AgUiEventsOptions> = {
  threadId: 'string',
  runId: 'string',
  protocolVersion: 'string',
  messageHistory: 'list',
  resumed: 'object',
  errorText: 'function',
};

/**
 * Converts the events of a run to events of AG-UI.
 *
 * Approval requests end the run with the outcome `interrupt`. External calls are pending tool calls. Pass
 * `events: { subAgents: true }` to the run to show its sub-agents.
 *
 * @example
 * const events = agent.stream(prompt, { events: { subAgents: true } })
 * for await (const event of agUiEvents(events, { threadId, runId, protocolVersion })) send(event)
 */
export async function* agUiEvents(
  events: AsyncIterable<ChatEvent>,
  options: AgUiEventsOptions,
): AsyncGenerator<AgUiEvent, void, void> {
  checkRequiredOptions('`agUiEvents`', options, AG_UI_EVENT_OPTIONS);
  const { threadId, runId, protocolVersion, messageHistory = [], resumed } = options;
  const { errorText = () => 'The run failed.' } = options;
  const run = { threadId, runId, protocolVersion };
  const fold = new EventFold({ run, ids: ClientCallIds.after(messageHistory), resumed });
  yield fold.start();
  try {
    for await (const event of events) yield* fold.add(event);
  } catch (error) {
    yield { type: 'RUN_ERROR', message: errorText(error) };
  }
}

/** The state that an {@link EventFold} starts with. */
interface EventFoldOptions {
  readonly run: ClientRun;
  readonly ids: ClientCallIds;
  /** The pending calls that the run resumes with. The client has them already. */
  readonly resumed?: DeferredToolRequests | undefined;
  /** The ids of calls whose results the client supplied. It has their messages already. */
  readonly supplied?: ReadonlySet<string> | undefined;
}

/** Converts the events of a run to events of AG-UI, one at a time. */
export class EventFold {
  readonly #run: ClientRun;
  readonly #ids: ClientCallIds;
  readonly #supplied: ReadonlySet<string>;
  /** The calls that the client has. */
  readonly #known = new Set<string>();
  readonly #responses: ResponseFold;
  readonly #subAgents: SubAgents;

  constructor({ run, ids, resumed, supplied = new Set() }: EventFoldOptions) {
    this.#run = run;
    this.#ids = ids;
    this.#supplied = supplied;
    this.#responses = new ResponseFold({}, (part) => this.#see(ids.add(part.toolCallId)));
    this.#subAgents = new SubAgents(ids, (id) => this.#see(id));
    for (const call of resumed ?? []) this.#see(ids.ofPending(call));
    for (const { path } of resumed ?? []) {
      for (const [depth, { toolCallId }] of path.entries()) {
        this.#see(ids.nested(path.slice(0, depth), toolCallId));
      }
    }
  }

  /** Returns the first event. */
  start(): AgUiEvent {
    const { threadId, runId, protocolVersion } = this.#run;
    const version = protocolVersion !== undefined && { protocolVersion: PROTOCOL_VERSION };
    return { type: 'RUN_STARTED', threadId, runId, ...version };
  }

  /** Returns the events for an event of the run. */
  add(event: ChatEvent): AgUiEvent[] {
    switch (event.kind) {
      case 'sub-agent-event':
        return this.#addNested(event.path, event.event);
      case 'tool-call':
      case 'output-tool-call':
        return this.#announce(this.#ids.of(event.part.toolCallId), event.part);
      case 'tool-result':
      case 'output-tool-result':
        return this.#settle(this.#ids.of(event.part.toolCallId), event.part);
      case 'run-result':
        return this.#end(event.result);
      case 'final-result':
      case 'tools-available':
      case 'deferred-requests':
      case 'deferred-results':
        return [];
      default:
        return this.#responses.add(event);
    }
  }

  /** Returns the events that end everything that a run which failed has started. */
  close(): AgUiEvent[] {
    return [...this.#responses.close(), ...this.#subAgents.finish(undefined)];
  }

  #finish(requests: DeferredToolRequests | undefined, result?: unknown): AgUiEvent[] {
    const { threadId, runId, protocolVersion } = this.#run;
    const outcome = interruptOutcome(requests, { ids: this.#ids, protocolVersion });
    // Clients reject `null`, the JSON form of a missing output.
    const output = result !== undefined && result !== null && { result };
    return [
      ...this.#responses.close(),
      ...this.#announcePending(requests),
      ...this.#subAgents.finish(requests),
      { type: 'RUN_FINISHED', threadId, runId, ...output, outcome },
    ];
  }

  #end(result: ChatResult): AgUiEvent[] {
    return result.status === 'parked'
      ? this.#finish(result.output)
      : this.#finish(undefined, jsonOf(result.output));
  }

  #see(id: string): string {
    this.#known.add(id);
    return id;
  }

  #announce(toolCallId: string, { toolName, args }: ToolCallPart): AgUiEvent[] {
    if (this.#known.has(toolCallId)) return [];
    this.#see(toolCallId);
    const parentMessageId = this.#responses.messageId;
    return wholeCallEvents({ toolCallId, toolName, args, parentMessageId });
  }

  /** Returns the events for pending calls that the client does not have, such as calls of sub-agents without events. */
  #announcePending(requests: DeferredToolRequests | undefined): AgUiEvent[] {
    return [...(requests ?? [])].flatMap((call) => {
      const events = call.path.length === 0 ? [] : this.#subAgents.start(call.path);
      const toolCallId = this.#ids.ofPending(call);
      if (this.#known.has(toolCallId)) return events;
      this.#see(toolCallId);
      const tag = this.#subAgents.tagOf(call.path);
      const { toolName } = call;
      const args = inputOfPending(call);
      return [...events, ...wholeCallEvents({ toolCallId, toolName, args, ...tag })];
    });
  }

  #settle(toolCallId: string, part: ToolResultPart): AgUiEvent[] {
    const events = this.#subAgents.settle(toolCallId, part);
    if (!this.#supplied.has(toolCallId)) events.push(resultEvent(toolCallId, part));
    return events;
  }

  #addNested(path: SubAgentEvent['path'], event: RunEvent): AgUiEvent[] {
    // The sub-agent of a hook belongs to no call.
    if (path.length === 0) return [];
    const { tag, events, responses } = this.#subAgents.at(path);
    if (responses === undefined) return [];
    switch (event.kind) {
      case 'tool-call': {
        const toolCallId = this.#ids.nested(path, event.part.toolCallId);
        if (this.#known.has(toolCallId)) return events;
        this.#see(toolCallId);
        const { toolName, args } = event.part;
        return [...events, ...wholeCallEvents({ toolCallId, toolName, args, ...tag })];
      }
      case 'tool-result': {
        const toolCallId = this.#ids.nested(path, event.part.toolCallId);
        events.push(...this.#subAgents.settle(toolCallId, event.part));
        if (!this.#supplied.has(toolCallId)) events.push(resultEvent(toolCallId, event.part, tag));
        return events;
      }
      case 'response-start':
      case 'part-start':
      case 'part-end':
      case 'text-delta':
      case 'thinking-delta':
      case 'args-delta':
        return [...events, ...responses.add(event)];
      default:
        return events;
    }
  }
}

/** The protocol version of the events. */
const PROTOCOL_VERSION = '1.0';

/** Returns an output in its JSON form; `undefined` if JSON has no form for it. */
function jsonOf(output: unknown): unknown {
  try {
    return toFrozenJson(output, 'output');
  } catch {
    return undefined;
  }
}

/** A sub-agent at the time of an event. */
interface ActiveSubAgent {
  readonly tag: AgUiAttribution;
  /** The events that start it, if it is new. */
  readonly events: AgUiEvent[];
  /** Its responses; `undefined` if it has ended in this run. */
  readonly responses: ResponseFold | undefined;
}

/** The sub-agents of a run. The id of a sub-agent is that of the call that started it. */
class SubAgents {
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
