import type { ToolCall, ToolCallContent, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk';
import type { JsonValue, ToolCallPart } from 'holdpoint';
import { renderRetryPrompt, type ToolResultPart } from 'holdpoint/messages';
import { briefArgs, pathText, showCall } from '../terminal/calls.ts';
import { linesOf } from '../terminal/lines.ts';
import type { PendingCall } from '../terminal/pending-call.ts';
import { visible } from '../terminal/visible.ts';
import { fileDiff } from './file-diff.ts';
import { codeBlock, codeSpan, plainText, textBlock } from './markdown.ts';
import type { AcpOptions } from './options.ts';

/** Describes a call as the model sent it. */
export function describeCall(
  part: ToolCallPart,
  toolCallId: string,
  { toolKinds }: AcpOptions,
): ToolCall {
  const args = parsedArgs(part);
  return {
    toolCallId,
    title: titleOf(part.toolName, [], briefArgs({ validatedArgs: args })),
    kind: toolKinds?.[part.toolName] ?? 'other',
    rawInput: args,
  };
}

/** Describes a call that needs approval with everything that the approver has to see. */
export function describePendingCall(
  call: PendingCall,
  toolCallId: string,
  { toolKinds }: AcpOptions,
): ToolCall {
  const diff = fileDiff(call);
  const kind: ToolKind = toolKinds?.[call.toolName] ?? (diff === undefined ? 'other' : 'edit');
  const { preview } = call.details;
  const effect = typeof preview === 'string' ? preview : briefArgs(call);
  return {
    toolCallId,
    title: titleOf(call.toolName, call.path, effect),
    kind,
    status: 'pending',
    rawInput: call.validatedArgs,
    content: [
      // The text repeats the diff: an editor may show a diff without the path or the hidden characters.
      ...(diff === undefined ? [] : [diff]),
      textContent(codeBlock(plainText(showCall(call)))),
    ],
  };
}

/** Returns the status of a call with a result. */
export function statusOf(part: ToolResultPart): ToolCallStatus {
  return part.kind === 'tool-return' && part.outcome === 'success' ? 'completed' : 'failed';
}

/** Returns the result of a call as content for the editor. */
export function resultContent(part: ToolResultPart): ToolCallContent[] {
  const text = part.kind === 'retry-prompt' ? renderRetryPrompt(part) : textOfResult(part.content);
  return [textContent(codeBlock(plainText(linesOf(text))))];
}

function textOfResult(content: JsonValue): string {
  return typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
}

function textContent(text: string): ToolCallContent {
  return { type: 'content', content: textBlock(text) };
}

function titleOf(toolName: string, path: readonly string[], effect: string): string {
  const name = path.length === 0 ? toolName : `${toolName} (${pathText(path)})`;
  return effect.trim() === '' ? visible(name) : `${visible(name)}: ${codeSpan(effect)}`;
}

/** Returns the arguments as data, or the text of the model if it is not JSON. */
function parsedArgs({ args }: ToolCallPart): JsonValue {
  if (typeof args !== 'string') return args ?? {};
  try {
    return args.trim() === '' ? {} : JSON.parse(args);
  } catch {
    return args;
  }
}
