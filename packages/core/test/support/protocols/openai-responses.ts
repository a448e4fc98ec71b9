import { type ResponseContent, halves, type Protocol, type SseEvent } from './provider-response.ts';

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 17,
};

/** OpenAI's Responses API. */
export const openAiResponsesProtocol: Protocol = {
  whole(response) {
    return completed(response.content.map((item, index) => outputItem(item, index)));
  },
  events(response) {
    const output = response.content.map((item, index) => outputItem(item, index));
    return {
      body: [
        named({ type: 'response.created', response: { ...envelope(), status: 'in_progress' } }),
        ...response.content.flatMap((item, index) => itemEvents(item, index)),
      ],
      closing: [named({ type: 'response.completed', response: completed(output) })],
    };
  },
};

function envelope() {
  return { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'gpt-test' };
}

function completed(output: readonly unknown[]) {
  const nothing = { error: null, incomplete_details: null };
  return { ...envelope(), ...nothing, status: 'completed', output, usage: USAGE };
}

function outputItem(item: ResponseContent, index: number) {
  switch (item.kind) {
    case 'text': {
      const content = [{ type: 'output_text', text: item.text, annotations: [] }];
      const about = { role: 'assistant', status: 'completed' };
      return { type: 'message', id: `msg_${index}`, ...about, content };
    }
    case 'thinking': {
      const summary = [{ type: 'summary_text', text: item.text }];
      return { type: 'reasoning', id: `rs_${index}`, encrypted_content: item.signature, summary };
    }
    case 'call': {
      const call = { call_id: item.id, name: item.name, arguments: item.args };
      return { type: 'function_call', id: `fc_${index}`, ...call, status: 'completed' };
    }
  }
}

function itemEvents(item: ResponseContent, index: number): SseEvent[] {
  return [
    named({
      type: 'response.output_item.added',
      output_index: index,
      item: emptyItem(item, index),
    }),
    ...deltas(item, index),
    named({
      type: 'response.output_item.done',
      output_index: index,
      item: outputItem(item, index),
    }),
  ];
}

function emptyItem(item: ResponseContent, index: number) {
  const whole = outputItem(item, index);
  if (whole.type === 'message') return { ...whole, status: 'in_progress', content: [] };
  if (whole.type === 'reasoning') return { ...whole, encrypted_content: null, summary: [] };
  return { ...whole, status: 'in_progress', arguments: '' };
}

function deltas(item: ResponseContent, index: number): SseEvent[] {
  switch (item.kind) {
    case 'text': {
      const at = { item_id: `msg_${index}`, output_index: index, content_index: 0 };
      return halves(item.text).map((delta) => {
        return named({ type: 'response.output_text.delta', ...at, delta });
      });
    }
    case 'thinking': {
      const at = { item_id: `rs_${index}`, output_index: index, summary_index: 0 };
      return [
        named({ type: 'response.reasoning_summary_part.added', ...at }),
        ...halves(item.text).map((delta) => {
          return named({ type: 'response.reasoning_summary_text.delta', ...at, delta });
        }),
        named({ type: 'response.reasoning_summary_part.done', ...at }),
      ];
    }
    case 'call': {
      const at = { item_id: `fc_${index}`, output_index: index };
      return halves(item.args).map((delta) => {
        return named({ type: 'response.function_call_arguments.delta', ...at, delta });
      });
    }
  }
}

function named(data: { type: string; [field: string]: unknown }): SseEvent {
  return { event: data.type, data };
}
