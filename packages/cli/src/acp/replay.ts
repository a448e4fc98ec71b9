import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Message, UserPrompt } from 'holdpoint';
import { isToolResult, type RequestPart, type ResponsePart } from 'holdpoint/messages';
import { textBlock } from './markdown.ts';
import type { AcpOptions } from './options.ts';
import { describeCall, resultContent, statusOf } from './tool-calls.ts';

/** Returns the updates that show a stored conversation again. */
export function replayUpdates(
  messages: readonly Message[],
  options: AcpOptions,
): readonly SessionUpdate[] {
  const updates: SessionUpdate[] = [];
  /** The ids that the editor was shown, by the id of the model. Later responses may use an id again. */
  const shown = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    for (const part of message.parts) {
      if (part.kind === 'tool-call') {
        shown.set(part.toolCallId, `${index}/${encodeURIComponent(part.toolCallId)}`);
      }
      updates.push(...updatesOf(part, shown, options));
    }
  }
  return updates;
}

function updatesOf(
  part: RequestPart | ResponsePart,
  shown: ReadonlyMap<string, string>,
  options: AcpOptions,
): readonly SessionUpdate[] {
  switch (part.kind) {
    case 'user-prompt':
      return [{ sessionUpdate: 'user_message_chunk', content: textBlock(promptOf(part.content)) }];
    case 'text':
      return [{ sessionUpdate: 'agent_message_chunk', content: textBlock(part.content) }];
    case 'thinking':
      return [{ sessionUpdate: 'agent_thought_chunk', content: textBlock(part.content) }];
    case 'tool-call': {
      const toolCallId = shown.get(part.toolCallId) ?? part.toolCallId;
      const description = describeCall(part, toolCallId, options);
      return [{ ...description, status: 'pending', sessionUpdate: 'tool_call' }];
    }
    case 'tool-return':
    case 'retry-prompt': {
      if (!isToolResult(part)) return [];
      const toolCallId = shown.get(part.toolCallId);
      if (toolCallId === undefined) return [];
      const result = { toolCallId, status: statusOf(part), content: resultContent(part) };
      return [{ ...result, sessionUpdate: 'tool_call_update' }];
    }
    default:
      return [];
  }
}

function promptOf(prompt: UserPrompt): string {
  if (typeof prompt === 'string') return prompt;
  const texts = prompt.map((item) => {
    if (typeof item === 'string') return item;
    return item.kind === 'text-content' ? item.content : `[${item.kind}]`;
  });
  return texts.join('\n');
}
