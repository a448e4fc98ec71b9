import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { checkRequiredOptions, type OptionTable } from '../../errors/check-options.ts';
import type { Message } from '../../messages/message.ts';
import { ClientCallIds } from '../front-end/call-ids.ts';
import type { ChatEvent } from '../front-end/chat-backend.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import { EventFold } from './event-fold.ts';

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
