import {
  type ProviderResponse,
  type ResponseContent,
  halves,
  hasCall,
  type Protocol,
  type SseEvent,
} from './provider-response.ts';

const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 2,
  output_tokens: 7,
};

/** Anthropic's Messages API. */
export const anthropicProtocol: Protocol = {
  whole(response) {
    return {
      ...envelope(),
      content: response.content.map(block),
      stop_reason: stopReason(response),
      stop_sequence: null,
      usage: USAGE,
    };
  },
  events(response) {
    const start = { type: 'message_start', message: { ...envelope(), content: [], usage: USAGE } };
    const delta = { stop_reason: stopReason(response), stop_sequence: null };
    return {
      body: [named(start), ...response.content.flatMap(blockEvents)],
      closing: [
        named({ type: 'message_delta', delta, usage: USAGE }),
        named({ type: 'message_stop' }),
      ],
    };
  },
};

function envelope() {
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' };
}

function stopReason(response: ProviderResponse): string {
  return hasCall(response) ? 'tool_use' : 'end_turn';
}

function block(item: ResponseContent) {
  switch (item.kind) {
    case 'text':
      return { type: 'text', text: item.text };
    case 'thinking':
      return { type: 'thinking', thinking: item.text, signature: item.signature };
    case 'call':
      return { type: 'tool_use', id: item.id, name: item.name, input: JSON.parse(item.args) };
  }
}

function blockEvents(item: ResponseContent, index: number): SseEvent[] {
  return [
    named({ type: 'content_block_start', index, content_block: emptyBlock(item) }),
    ...deltas(item).map((delta) => named({ type: 'content_block_delta', index, delta })),
    named({ type: 'content_block_stop', index }),
  ];
}

function emptyBlock(item: ResponseContent) {
  switch (item.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'call':
      return { type: 'tool_use', id: item.id, name: item.name, input: {} };
  }
}

function deltas(item: ResponseContent): unknown[] {
  switch (item.kind) {
    case 'text':
      return halves(item.text).map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...halves(item.text).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: item.signature },
      ];
    case 'call':
      return halves(item.args).map((half) => ({ type: 'input_json_delta', partial_json: half }));
  }
}

function named(data: { type: string; [field: string]: unknown }): SseEvent {
  return { event: data.type, data };
}
