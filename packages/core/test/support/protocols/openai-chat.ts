import {
  type ProviderResponse,
  halves,
  hasCall,
  type Protocol,
  type SseEvent,
} from './provider-response.ts';

const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 7,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

/** OpenAI's Chat Completions API; it has no reasoning. */
export const openAiChatProtocol: Protocol = {
  whole(response) {
    const message = { role: 'assistant', content: textOf(response), tool_calls: callsOf(response) };
    const choice = { index: 0, message, finish_reason: finishReason(response), logprobs: null };
    return { ...envelope('chat.completion'), choices: [choice], usage: USAGE };
  },
  events(response) {
    const usage = { ...envelope('chat.completion.chunk'), choices: [], usage: USAGE };
    return {
      body: [
        chunk({ role: 'assistant', content: '' }),
        ...deltas(response).map((delta) => chunk(delta)),
      ],
      closing: [chunk({}, finishReason(response)), { data: usage }, { data: '[DONE]' }],
    };
  },
};

function envelope(object: string) {
  return { id: 'chatcmpl-1', object, created: 1_700_000_000, model: 'gpt-test' };
}

function textOf({ content }: ProviderResponse): string | null {
  const text = content.map((item) => (item.kind === 'text' ? item.text : '')).join('');
  return text === '' ? null : text;
}

function callsOf({ content }: ProviderResponse) {
  const calls = content.filter((item) => item.kind === 'call');
  if (calls.length === 0) return undefined;
  return calls.map(({ id, name, args }) => {
    return { id, type: 'function', function: { name, arguments: args } };
  });
}

function finishReason(response: ProviderResponse): string {
  return hasCall(response) ? 'tool_calls' : 'stop';
}

function deltas(response: ProviderResponse): unknown[] {
  const texts = response.content.filter((item) => item.kind === 'text');
  return [
    ...texts.flatMap(({ text }) => halves(text).map((content) => ({ content }))),
    ...(callsOf(response) ?? []).flatMap(
      ({ id, type, function: { name, arguments: args } }, index) => [
        { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] },
        ...halves(args).map((half) => ({ tool_calls: [{ index, function: { arguments: half } }] })),
      ],
    ),
  ];
}

function chunk(delta: unknown, finish: string | null = null): SseEvent {
  const choices = [{ index: 0, delta, finish_reason: finish, logprobs: null }];
  return { data: { ...envelope('chat.completion.chunk'), choices } };
}
