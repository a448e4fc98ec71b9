import type { DeferredToolRequests } from '../../deferred/requests.ts';
import type { RunEvent, SubAgentEvent } from '../../events/run-events.ts';
import { toFrozenJson } from '../../internal/json.ts';
import type { ToolResultPart } from '../../messages/request-part.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { ClientCallIds } from '../front-end/call-ids.ts';
import type { ChatEvent, ChatResult } from '../front-end/chat-backend.ts';
import { inputOfPending } from '../front-end/call-values.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import { resultEvent, wholeCallEvents } from './call-events.ts';
import { interruptOutcome } from './interrupts.ts';
import { ResponseFold } from './response-fold.ts';
import { SubAgents } from './sub-agents.ts';

/** The run of a client that events belong to. */
export interface ClientRun {
  readonly threadId: string;
  readonly runId: string;
  readonly protocolVersion: string | undefined;
}

/** The state that an {@link EventFold} starts with. */
export interface EventFoldOptions {
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
