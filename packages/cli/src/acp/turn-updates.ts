import type { SessionUpdate, ToolCall } from '@agentclientprotocol/sdk';
import type { Message, PendingCall as CorePendingCall, StepEvent, ToolCallPart } from 'holdpoint';
import type { RunEvent } from 'holdpoint/agents';
import type { ToolResultPart } from 'holdpoint/messages';
import type { PendingCall } from '../terminal/pending-call.ts';
import { textBlock } from './markdown.ts';
import type { AcpOptions } from './options.ts';
import { describeCall, describePendingCall, resultContent, statusOf } from './tool-calls.ts';

/** Sends an update of a session to the editor. */
export type SendUpdate = (update: SessionUpdate) => Promise<void>;

/** The ids of the calls to sub-agents that led to a call, outermost first, and its own id. */
export type CallPath = readonly string[];

/** Sends the events of a turn to the editor: text, thoughts, and tool calls with their status. */
export class TurnUpdates {
  readonly #send: SendUpdate;
  readonly #options: AcpOptions;
  /** The tool calls that the editor knows, by id. */
  readonly #shown = new Set<string>();
  #response = '';

  constructor(send: SendUpdate, options: AcpOptions) {
    this.#send = send;
    this.#options = options;
  }

  /** Continues after a conversation that the editor was shown with `replayUpdates`. */
  continueAfter(messages: readonly Message[]): void {
    const index = messages.findLastIndex(({ kind }) => kind === 'response');
    if (index < 0) return;
    this.#response = String(index);
    for (const part of messages[index]?.parts ?? []) {
      if (part.kind === 'tool-call') this.#register(this.#idOf([part.toolCallId]));
    }
  }

  /** Sends an event of the run. */
  async show(event: StepEvent): Promise<void> {
    switch (event.kind) {
      case 'response-start':
        // Providers may reuse the ids of calls in each response, and the ids of an editor are unique per session.
        this.#response = `${event.runId}/${event.runStep}`;
        return;
      case 'text-delta':
        return this.text(event.text);
      case 'thinking-delta':
        return this.#send({
          sessionUpdate: 'agent_thought_chunk',
          content: textBlock(event.text),
        });
      case 'sub-agent-event':
        // The text of a sub-agent is not a part of the response to the user.
        return this.#showToolEvent(
          event.event,
          event.path.map(({ toolCallId }) => toolCallId),
        );
      default:
        return this.#showToolEvent(event, []);
    }
  }

  /** Returns the id of a pending call of the current response. */
  idOf({ path, toolCallId }: Pick<CorePendingCall, 'path' | 'toolCallId'>): string {
    return this.#idOf([...path.map((agent) => agent.toolCallId), toolCallId]);
  }

  /** Sends text of the agent. */
  async text(text: string): Promise<void> {
    if (text === '') return;
    await this.#send({ sessionUpdate: 'agent_message_chunk', content: textBlock(text) });
  }

  /** Sends a call that needs approval; returns its description for the approval request. */
  async showPending(call: PendingCall, toolCallId: string): Promise<ToolCall> {
    const description = describePendingCall(call, toolCallId, this.#options);
    const isNew = this.#register(toolCallId);
    await this.#send(
      isNew
        ? { ...description, sessionUpdate: 'tool_call' }
        : { ...description, sessionUpdate: 'tool_call_update' },
    );
    return description;
  }

  /** Reports that a permitted call executes. */
  async showExecution(path: CallPath): Promise<void> {
    const toolCallId = this.#idOf(path);
    await this.#send({ toolCallId, status: 'in_progress', sessionUpdate: 'tool_call_update' });
  }

  async #showToolEvent(event: RunEvent, agents: CallPath): Promise<void> {
    if (event.kind === 'tool-call') {
      await this.#showCall(event.part, [...agents, event.part.toolCallId]);
    } else if (event.kind === 'tool-result') {
      await this.#showResult(event.part, [...agents, event.part.toolCallId]);
    }
  }

  async #showCall(part: ToolCallPart, path: CallPath): Promise<void> {
    const toolCallId = this.#idOf(path);
    // The first event precedes the gate, so the call may need approval.
    if (this.#register(toolCallId)) {
      const description = describeCall(part, toolCallId, this.#options);
      await this.#send({ ...description, status: 'pending', sessionUpdate: 'tool_call' });
    } else await this.showExecution(path);
  }

  async #showResult(part: ToolResultPart, path: CallPath): Promise<void> {
    const toolCallId = this.#idOf(path);
    const result = { toolCallId, status: statusOf(part), content: resultContent(part) };
    // A call can have a result without an execution, such as a call to an unknown tool.
    if (this.#register(toolCallId)) {
      await this.#send({ ...result, title: part.toolName, sessionUpdate: 'tool_call' });
    } else await this.#send({ ...result, sessionUpdate: 'tool_call_update' });
  }

  /** Returns true if the editor does not know the call yet. */
  #register(toolCallId: string): boolean {
    const isNew = !this.#shown.has(toolCallId);
    this.#shown.add(toolCallId);
    return isNew;
  }

  #idOf(path: CallPath): string {
    return [this.#response, ...path.map(encodeURIComponent)].join('/');
  }
}
