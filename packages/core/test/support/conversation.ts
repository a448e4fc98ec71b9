import type { Message } from 'holdpoint';
import { isToolResult, type RequestPart, type ResponsePart } from 'holdpoint/messages';
import type { ScriptedModel } from 'holdpoint/testing';
import { present } from './present.ts';

/** All parts of a conversation, in order. */
export function partsOf(messages: readonly Message[]): readonly (RequestPart | ResponsePart)[] {
  return messages.flatMap((message): readonly (RequestPart | ResponsePart)[] => message.parts);
}

/** The parts of the last message. */
export function lastPartsOf(messages: readonly Message[]): readonly (RequestPart | ResponsePart)[] {
  return messages.at(-1)?.parts ?? [];
}

/** Returns the messages that a model received with a request, by default the first one. */
export function sentTo(model: ScriptedModel, request = 0): readonly Message[] {
  return present(model.calls[request]).messages;
}

/**
 * Returns the problems for which a provider would reject a conversation.
 *
 * Each tool call needs exactly one result in the next request, each result needs a call, and requests
 * and responses alternate.
 */
export function problemsOf(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (before?.kind === message.kind) problems.push(`two ${message.kind}s in a row at ${index}`);
    if (message.kind === 'request') problems.push(...misplacedResults(before, message, index));
    else if (messages[index + 1] === undefined)
      problems.push('the conversation ends in a response');
    else if (messages[index + 1]?.kind === 'response' && callIdsOf(message).length > 0) {
      problems.push(`calls at ${index} have no results`);
    }
  }
  return problems;
}

function misplacedResults(before: Message | undefined, message: Message, index: number): string[] {
  const open = before?.kind === 'response' ? callIdsOf(before) : [];
  const problems: string[] = [];
  if (message.parts.length === 0) problems.push(`request ${index} says nothing`);
  for (const part of message.parts) {
    if (message.kind !== 'request' || !isToolResult(part as RequestPart)) continue;
    const { toolCallId } = part as { toolCallId: string };
    const callIndex = open.indexOf(toolCallId);
    if (callIndex < 0) problems.push(`result without a call at ${index}: ${toolCallId}`);
    else open.splice(callIndex, 1);
  }
  return [...problems, ...open.map((id) => `call without a result before ${index}: ${id}`)];
}

function callIdsOf(message: Message): string[] {
  return message.parts.flatMap((part) => (part.kind === 'tool-call' ? [part.toolCallId] : []));
}
