import type { Message } from 'holdpoint';
import type { ResponsePart } from 'holdpoint/messages';
import type { MessageSpec, PartSpec, ResponsePartSpec } from './scenario.ts';

/** Converts a message of a scenario. */
export function toMessage(spec: MessageSpec): Message {
  // The scenario uses the same kinds. The library rejects other contents.
  return dropAbsent({
    kind: spec.kind,
    parts: spec.parts.map(toPart),
    instructions: spec.instructions,
    state: spec.state,
    modelName: spec.model,
    runId: spec.run_id,
    conversationId: spec.conversation_id,
  }) as unknown as Message;
}

function toPart(spec: PartSpec): object {
  return {
    ...dropAbsent({
      kind: spec.kind,
      toolName: spec.tool_name,
      toolCallId: spec.tool_call_id,
      outcome: spec.outcome ?? (spec.kind === 'tool-return' ? 'success' : null),
      metadata: spec.metadata,
      toolKind: spec.tool_kind,
      toolsAdded: spec.tools_added,
    }),
    // Here `null` is a value: a tool that returned nothing, a call without arguments.
    ...(spec.content === undefined ? {} : { content: spec.content }),
    ...(spec.kind === 'tool-call' ? { args: spec.args ?? null } : {}),
  };
}

/** Converts a part of a scripted response. A call without an id gets a new one. */
export function toResponsePart(spec: ResponsePartSpec): ResponsePart {
  if (spec.kind !== 'tool-call') return { kind: spec.kind, content: spec.content };
  return {
    kind: 'tool-call',
    toolName: spec.tool_name,
    toolCallId: spec.tool_call_id ?? crypto.randomUUID(),
    args: spec.args ?? null,
  };
}

/** Drops fields that are `null`, which means absent in a scenario. */
export function dropAbsent<T extends object>(
  fields: T,
): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const kept: { [Key in keyof T]?: NonNullable<T[Key]> } = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined && value !== null) kept[key] = value;
  }
  return kept;
}
