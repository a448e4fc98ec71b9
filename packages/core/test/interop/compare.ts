import { DeferredToolRequests, type Message } from 'holdpoint';
import { pydanticMessageCodec, pydanticRequestsCodec } from 'holdpoint/pydantic';
import { hasContent } from '../../../../conformance/src/describe-message.ts';
import { Produced } from '../../../../conformance/src/schemas.ts';
import { withoutStepRecord } from '../../src/messages/step-record.ts';
import { type Json, parseExactly, type Run, writeExactly } from './fixtures.ts';

/** Returns messages as Pydantic AI stores them, without the framework's metadata. */
export function asStored(messages: readonly Message[]): Json[] {
  const shown = messages.filter(hasContent).map(withoutStepRecord);
  // Compares the JSON that is sent, not an in-memory equivalent.
  return parseExactly(writeExactly(pydanticMessageCodec.toJSON(shown))) as Json[];
}

/** Returns new messages without the fields that differ between runs. */
export function comparable(messages: readonly Json[], hadConversation: boolean): unknown[] {
  return messages.map((message) => {
    const { run_id: _run, timestamp: _time, conversation_id: conversation, ...rest } = message;
    const parts = (message['parts'] as Json[]).map(comparablePart);
    return rounded({ ...rest, parts, ...(hadConversation ? { conversation } : {}) });
  });
}

/** Describes the output of a run as the fixtures do; `undefined` if the run failed. */
export function describeOutput(output: unknown): unknown {
  if (output === undefined) return undefined;
  if (output instanceof DeferredToolRequests) return rounded(pydanticRequestsCodec.toJSON(output));
  return output instanceof Produced ? { ...output } : output;
}

/** Describes the output of a Pydantic AI run in the format of {@link describeOutput}. */
export function outputOf({ output: { kind, value, type } }: Run, requests: Json | null): unknown {
  switch (kind) {
    case 'error':
      return undefined;
    case 'deferred':
      return rounded(requests);
    default:
      return kind === 'structured' ? { type, value } : value;
  }
}

/** Returns a document in which integers have the digits of a JavaScript number. */
export function rounded<T>(document: T): T {
  return JSON.parse(writeExactly(document));
}

/** Only Python stores a time and the name of a function. */
function comparablePart({ timestamp: _time, dynamic_ref: _function, ...part }: Json): Json {
  const id = part['tool_call_id'];
  const isGenerated = id === undefined || String(id).startsWith('pyd_ai_');
  return {
    ...part,
    ...(isGenerated && 'tool_name' in part ? { tool_call_id: '<generated>' } : {}),
    ...comparableContent(part),
  };
}

/** Replaces texts of the framework, which differ between the two implementations. */
function comparableContent(part: Json): Json {
  const { part_kind: kind, content, outcome, tool_name: toolName } = part;
  if (outcome === 'interrupted') return { content: '<interrupted>', metadata: '<framework>' };
  if (Object.hasOwn(Object(part['metadata']), 'holdpoint')) return { metadata: null };
  if (typeof content === 'string' && NOTES.some((note) => note.test(content))) {
    return { content: '<note>' };
  }
  if (part['tool_kind'] === 'tool-search' && Object.hasOwn(Object(content), 'message')) {
    return { content: { ...Object(content), message: '<note>' } };
  }
  if (kind !== 'retry-prompt') return {};
  // Pydantic AI describes an invalid text output as a list, this package as a sentence.
  if (toolName === null) return { content: '<note>' };
  return Array.isArray(content) ? { content: content.map(({ loc }: Json) => ({ loc })) } : {};
}

const NOTES = [
  /^Final result processed\.$/,
  /^The final result was taken\.$/,
  /^Unknown tool name: /,
  /^There is no tool '/,
];
