import { type Answer, halves, hasCall, type Protocol, type SseEvent } from './answer.ts';

const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 7,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

/** OpenAI's Chat Completions API; it has no thoughts. */
export const openAiChatProtocol: Protocol = {
  whole(answer) {
    const message = { role: 'assistant', content: textOf(answer), tool_calls: callsOf(answer) };
    const choice = { index: 0, message, finish_reason: finishReason(answer), logprobs: null };
    return { ...envelope('chat.completion'), choices: [choice], usage: USAGE };
  },
  events(answer) {
    const usage = { ...envelope('chat.completion.chunk'), choices: [], usage: USAGE };
    return {
      body: [
        chunk({ role: 'assistant', content: '' }),
        ...deltas(answer).map((delta) => chunk(delta)),
      ],
      closing: [chunk({}, finishReason(answer)), { data: usage }, { data: '[DONE]' }],
    };
  },
};

function envelope(object: string) {
  return { id: 'chatcmpl-1', object, created: 1_700_000_000, model: 'gpt-test' };
}

function textOf({ content }: Answer): string | null {
  const text = content.map((item) => (item.kind === 'text' ? item.text : '')).join('');
  return text === '' ? null : text;
}

function callsOf({ content }: Answer) {
  const calls = content.filter((item) => item.kind === 'call');
  if (calls.length === 0) return undefined;
  return calls.map(({ id, name, args }) => {
    return { id, type: 'function', function: { name, arguments: args } };
  });
}

function finishReason(answer: Answer): string {
  return hasCall(answer) ? 'tool_calls' : 'stop';
}

function deltas(answer: Answer): unknown[] {
  const texts = answer.content.filter((item) => item.kind === 'text');
  return [
    ...texts.flatMap(({ text }) => halves(text).map((content) => ({ content }))),
    ...(callsOf(answer) ?? []).flatMap(
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
