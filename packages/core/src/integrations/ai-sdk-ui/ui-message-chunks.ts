import { checkRequiredOptions, type OptionTable } from '../../errors/check-options.ts';
import type { Message } from '../../messages/message.ts';
import { ClientCallIds } from '../front-end/call-values.ts';
import type { ChatEvent } from '../front-end/chat-backend.ts';
import { ChunkFold, type ResumedCalls } from './chunk-fold.ts';
import type { UiMessageChunk } from './ui-message.ts';

/** Options of {@link uiMessageChunks}. */
export interface UiMessageChunksOptions {
  /**
   * The id of the assistant message. Use a new id for the response to a prompt, such as the `runId` of the run. For a run
   * that resumes, use the id of the message that it continues.
   */
  readonly messageId: string;
  /** The history that the run started with. Without it, calls may share an id with calls of earlier messages. */
  readonly messageHistory?: readonly Message[] | undefined;
  /** The pending calls that the run resumes with. The client has them already. */
  readonly resumed?: ResumedCalls | undefined;
  /** Returns the text for the client when the run fails. Without it, the text does not reveal the error. */
  readonly errorText?: ((error: unknown) => string) | undefined;
}

const CHUNK_OPTIONS: OptionTable<UiMessageChunksOptions> = {
  messageId: 'string',
  messageHistory: 'list',
  resumed: 'object',
  errorText: 'function',
};

/**
 * Converts the events of a run to the UI message stream of the AI SDK: one assistant message for `useChat`.
 *
 * The stream ends when the run finishes, parks or fails. Pass `events: { subAgents: true }` to the run to show the calls
 * of its sub-agents.
 *
 * @example
 * const events = agent.stream(prompt, { runId, events: { subAgents: true } })
 * for await (const chunk of uiMessageChunks(events, { messageId: runId })) send(chunk)
 */
export async function* uiMessageChunks(
  events: AsyncIterable<ChatEvent>,
  options: UiMessageChunksOptions,
): AsyncGenerator<UiMessageChunk, void, void> {
  checkRequiredOptions('`uiMessageChunks`', options, CHUNK_OPTIONS);
  const { messageId, messageHistory = [], resumed, errorText = hideError } = options;
  const fold = new ChunkFold({ ids: ClientCallIds.after(messageHistory), resumed });
  yield { type: 'start', messageId };
  try {
    for await (const event of events) {
      for (const chunk of fold.add(event)) yield chunk;
    }
  } catch (error) {
    yield { type: 'error', errorText: errorText(error) };
    return;
  }
  yield* fold.finish();
}

/** The message of an error may contain data of the server. */
function hideError(): string {
  return 'The run failed.';
}
