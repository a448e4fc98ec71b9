import type { PendingCall } from '../../deferred/pending-call.ts';
import type { DeferredToolRequests } from '../../deferred/requests.ts';
import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import type { Message, ModelRequest, ModelResponse } from '../../messages/message.ts';
import { isToolResult } from '../../messages/request-part.ts';
import type { CallFields } from '../../messages/response-part.ts';
import { ClientCallIds, inputOfPending } from '../front-end/call-values.ts';
import { pendingIn, promptIdOf } from '../front-end/run-backend.ts';
import { interruptOutcome, subAgentId } from './interrupts.ts';
import { callArgsText, reasoningId, resultMessage } from './response-fold.ts';
import type { AgUiInterrupt, AgUiMessage, AgUiToolCall } from './protocol.ts';
import { promptContent } from './run-input.ts';

/** Options of {@link agUiSnapshot}. */
export interface AgUiSnapshotOptions {
  /** The pending calls. By default they are read from the messages. */
  readonly requests?: DeferredToolRequests | undefined;
}

const SNAPSHOT_OPTIONS: OptionTable<AgUiSnapshotOptions> = { requests: 'object' };

/** The state of a thread, for a client that loads it. */
export interface AgUiSnapshot {
  /** The messages, for `initialMessages` of the client. */
  readonly messages: readonly AgUiMessage[];
  /** The approval requests, for `pendingInterrupts` of the client. */
  readonly interrupts: readonly AgUiInterrupt[];
  /** The calls whose results the client supplies. */
  readonly pendingToolCallIds: readonly string[];
}

/**
 * Converts a history to the state of a thread. The ids of messages and calls equal those of `agUiEvents`. The result
 * contains neither the step record nor other metadata of the messages, and no messages of sub-agents.
 */
export function agUiSnapshot(
  messages: readonly Message[],
  options: AgUiSnapshotOptions = {},
): AgUiSnapshot {
  checkOptions('`agUiSnapshot`', options, SNAPSHOT_OPTIONS);
  const { requests = pendingIn(messages) } = options;
  const builder = new SnapshotBuilder();
  for (const [index, message] of messages.entries()) {
    if (message.kind === 'request') builder.addRequest(message, index);
    else builder.addResponse(message, index);
  }
  const pending = [...(requests ?? [])];
  for (const call of pending) builder.addNested(call);
  const { ids } = builder;
  const outcome = interruptOutcome(requests, { ids, protocolVersion: undefined });
  return {
    messages: builder.messages,
    interrupts: outcome.type === 'interrupt' ? outcome.interrupts : [],
    pendingToolCallIds: pending
      .filter(({ kind }) => kind === 'external')
      .map((call) => ids.ofPending(call)),
  };
}

class SnapshotBuilder {
  readonly messages: AgUiMessage[] = [];
  readonly ids = new ClientCallIds();
  /** The number of responses of each run so far. */
  readonly #steps = new Map<string, number>();

  addRequest(message: ModelRequest, index: number): void {
    const prompts = message.parts.flatMap((part) => {
      if (part.kind === 'user-prompt') return [part.content];
      return part.kind === 'speech' ? [part.transcript ?? ''] : [];
    });
    for (const part of message.parts) {
      if (isToolResult(part)) this.messages.push(resultMessage(this.ids.of(part.toolCallId), part));
    }
    if (prompts.length === 0) return;
    const id = promptIdOf(message) ?? `prompt-${index}`;
    this.messages.push({ id, role: 'user', content: promptContent(prompts) });
  }

  addResponse(message: ModelResponse, index: number): void {
    const id = this.#responseId(message, index);
    const toolCalls: AgUiToolCall[] = [];
    const later: AgUiMessage[] = [];
    let content = '';
    for (const [position, part] of message.parts.entries()) {
      switch (part.kind) {
        case 'text':
          content += part.content;
          break;
        case 'speech':
          content += part.transcript ?? '';
          break;
        case 'thinking':
          if (part.content === '') break;
          this.messages.push({
            id: reasoningId(id, position),
            role: 'reasoning',
            content: part.content,
          });
          break;
        case 'tool-call':
          toolCalls.push(callOf(this.ids.add(part.toolCallId), part));
          break;
        case 'native-tool-call':
          toolCalls.push(callOf(part.toolCallId, part));
          break;
        case 'native-tool-return':
          later.push(resultMessage(part.toolCallId, part));
          break;
        case 'file':
        case 'compaction':
          break;
      }
    }
    const calls = toolCalls.length > 0 && { toolCalls };
    this.messages.push({ id, role: 'assistant', content, ...calls }, ...later);
  }

  /** Adds the pending call of a sub-agent, whose messages are not part of the history. */
  addNested(call: PendingCall): void {
    if (call.path.length === 0) return;
    const { toolName } = call;
    const toolCall = callOf(this.ids.ofPending(call), { toolName, args: inputOfPending(call) });
    const subagentRunId = subAgentId(this.ids, call.path);
    this.messages.push({ id: call.id, role: 'assistant', subagentRunId, toolCalls: [toolCall] });
  }

  #responseId({ runId }: ModelResponse, index: number): string {
    if (runId === undefined) return `response-${index}`;
    const step = (this.#steps.get(runId) ?? 0) + 1;
    this.#steps.set(runId, step);
    return `${runId}.${step}`;
  }
}

function callOf(
  id: string,
  { toolName, args }: Pick<CallFields, 'toolName'> & { readonly args: unknown },
): AgUiToolCall {
  return { id, type: 'function', function: { name: toolName, arguments: callArgsText(args) } };
}
