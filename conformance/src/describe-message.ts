import type { JsonValue, Message, ToolCallPart } from 'holdpoint';
import type { RequestPart, ResponsePart, ValidationIssue } from 'holdpoint/messages';
import type { Aliases } from './aliases.ts';
import type { Described } from './describe.ts';

/** Describes the messages of a run, with aliases of their ids. */
export function describeHistory(messages: readonly Message[], aliases: Aliases): Described[] {
  return messages.filter(hasContent).map((message) => ({
    ...describeMessage(message),
    run: aliases.run(message.runId),
    conversation: aliases.conversation(message.conversationId),
  }));
}

/** Returns true if a message contains more than the framework's metadata. */
export function hasContent(message: Message): boolean {
  const { holdpoint, ...metadata } = message.metadata ?? {};
  const isNote = holdpoint !== undefined && Object.keys(metadata).length === 0;
  const isEmpty = message.parts.length === 0;
  return !(isNote && isEmpty && message.kind === 'request' && !message.instructions);
}

/**
 * Describes a message as the model receives it: without ids, and with its state if that is not
 * `complete`.
 */
export function describeMessage(message: Message): Described {
  return {
    kind: message.kind,
    parts: message.parts.map(describePart),
    ...(message.kind === 'request' && message.instructions
      ? { instructions: message.instructions }
      : {}),
    ...(message.state === undefined || message.state === 'complete'
      ? {}
      : { state: message.state }),
  };
}

/** Describes a part in the format of the vectors, without fields that they do not contain. */
export function describePart(part: RequestPart | ResponsePart): Described {
  switch (part.kind) {
    case 'tool-call':
      return describeCall(part);
    case 'tool-return':
      return {
        kind: part.kind,
        tool_name: part.toolName,
        content: part.content,
        tool_call_id: part.toolCallId,
        outcome: part.outcome,
        ...describeMetadata(part.metadata),
        ...(part.toolKind === undefined ? {} : { tool_kind: part.toolKind }),
      };
    case 'retry-prompt':
      return {
        kind: part.kind,
        content: typeof part.content === 'string' ? part.content : part.content.map(describeIssue),
        tool_name: part.toolName ?? null,
        // The reference generates an id if there is no tool; Holdpoint may have none.
        tool_call_id: part.toolCallId ?? '<auto>',
      };
    case 'tool-availability-delta':
      return {
        kind: part.kind,
        tools_added: [...part.toolsAdded],
        tool_call_id: part.toolCallId ?? null,
      };
    case 'user-prompt':
    case 'system-prompt':
    case 'text':
    case 'thinking':
      return { kind: part.kind, content: part.content };
    default:
      return { ...part };
  }
}

/** Describes a tool call of a message or of deferred requests. */
export function describeCall(part: ToolCallPart): Described {
  return {
    kind: part.kind,
    tool_name: part.toolName,
    args: part.args,
    tool_call_id: part.toolCallId,
    ...(part.toolKind === undefined ? {} : { tool_kind: part.toolKind }),
  };
}

function describeIssue(issue: ValidationIssue): Described {
  return { loc: [...issue.path], ...(issue.input === undefined ? {} : { input: issue.input }) };
}

/**
 * Describes the metadata that a tool attached. The vectors do not contain the metadata of the
 * framework.
 */
function describeMetadata(metadata: JsonValue | undefined): Described {
  if (typeof metadata !== 'object' || metadata === null || !('holdpoint' in metadata)) {
    return metadata === undefined ? {} : { metadata };
  }
  const { holdpoint: _, ...own } = metadata;
  return Object.keys(own).length > 0 ? { metadata: own } : {};
}
