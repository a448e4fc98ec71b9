import type { ModelRequest } from '../../src/messages/message.ts';
import type { ResponsePart } from '../../src/messages/response-part.ts';
import type { ModelCall, ModelResponseData, ModelStreamEvent } from '../../src/models/model.ts';
import type { ToolDefinition } from '../../src/models/tool-definition.ts';

/** A model request with the prompt `Hello`, with `changes`. */
export function modelCall(changes: Partial<ModelCall> = {}): ModelCall {
  return {
    messages: [userRequest('Hello')],
    instructions: undefined,
    functionTools: [],
    outputTools: [],
    nativeTools: [],
    allowText: true,
    outputSchema: undefined,
    settings: undefined,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** A request with the user prompt `text`. */
export function userRequest(text: string): ModelRequest {
  return { kind: 'request', parts: [{ kind: 'user-prompt', content: text }] };
}

/** A tool with a text argument `city`, with `changes`. */
export function toolDefinition(changes: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name: 'weather',
    parametersJsonSchema: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    description: 'The weather in a city.',
    sequential: false,
    kind: 'function',
    deferLoading: false,
    ...changes,
  };
}

/** Collects the events of a stream into a response. */
export async function collectResponse(
  stream: AsyncIterable<ModelStreamEvent>,
): Promise<ModelResponseData> {
  const parts: ResponsePart[] = [];
  for await (const event of stream) {
    switch (event.kind) {
      case 'part-start':
        if (event.index !== parts.length) throw new Error(`Part ${event.index} out of order.`);
        parts.push(event.part);
        break;
      case 'part-done':
        // A part knows only the fields of its own kind.
        parts[event.index] = { ...parts[event.index], ...event.fields } as ResponsePart;
        break;
      case 'finish': {
        const { kind: _, ...rest } = event;
        return { parts, ...rest };
      }
      default:
        parts[event.index] = extend(parts[event.index], event.text);
    }
  }
  throw new Error('The stream ended without `finish`.');
}

function extend(part: ResponsePart | undefined, text: string): ResponsePart {
  if (part?.kind === 'text' || part?.kind === 'thinking') {
    return { ...part, content: part.content + text };
  }
  if (part?.kind === 'tool-call' || part?.kind === 'native-tool-call') {
    return { ...part, args: `${String(part.args)}${text}` };
  }
  throw new Error(`A delta for ${part?.kind ?? 'a part that has not started'}.`);
}
