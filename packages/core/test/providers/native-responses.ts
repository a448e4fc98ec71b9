import type { ScriptedResponse } from '../support/provider-server.ts';

/** A block or item of a response, in the format of the provider. */
export interface ResponseItem {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The response mode. */
export type Mode = 'request' | 'stream';

/** Returns an Anthropic response with exactly these blocks. */
export function anthropicSays(mode: Mode, ...content: readonly ResponseItem[]): ScriptedResponse {
  const envelope = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' };
  const usage = { input_tokens: 10, output_tokens: 7 };
  const isCall = content.some(({ type }) => type === 'tool_use');
  const end = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
  if (mode === 'request') return whole({ ...envelope, content, ...end, usage });
  return events([
    { type: 'message_start', message: { ...envelope, content: [], usage } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: started(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: end, usage },
    { type: 'message_stop' },
  ]);
}

/** Returns a block in which Anthropic uses a server tool. */
export function serverToolUse(id: string, name: string, input: object): ResponseItem {
  return { type: 'server_tool_use', id, name, input };
}

/** Returns the result block; `tool` is Anthropic's name for the tool in results. */
export function serverToolResult(
  tool_use_id: string,
  tool: string,
  content: unknown,
): ResponseItem {
  return { type: `${tool}_tool_result`, tool_use_id, content };
}

/** Returns the block with the tools that Anthropic found. */
export function toolsFound(tool_use_id: string, ...names: readonly string[]): ResponseItem {
  return serverToolResult(tool_use_id, 'tool_search', {
    type: 'tool_search_tool_search_result',
    tool_references: names.map((tool_name) => ({ type: 'tool_reference', tool_name })),
  });
}

/** Returns the empty start of a streamed block; results of the provider are not streamed. */
function started(block: ResponseItem): ResponseItem {
  if (block.type === 'text') return { type: 'text', text: '' };
  return comesInPieces(block) ? { ...block, input: {} } : block;
}

function comesInPieces({ type }: ResponseItem): boolean {
  return type === 'tool_use' || type === 'server_tool_use';
}

function deltasOf(block: ResponseItem): ResponseItem[] {
  if (block.type === 'text') {
    return halves(String(block['text'])).map((text) => ({ type: 'text_delta', text }));
  }
  if (!comesInPieces(block)) return [];
  return halves(JSON.stringify(block['input'])).map((half) => {
    return { type: 'input_json_delta', partial_json: half };
  });
}

/** Returns a response of OpenAI's Responses API with exactly these items. */
export function openAiSays(mode: Mode, ...output: readonly ResponseItem[]): ScriptedResponse {
  const envelope = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'gpt-x' };
  const nothing = { error: null, incomplete_details: null };
  const usage = { input_tokens: 10, output_tokens: 7, total_tokens: 17 };
  const completed = { ...envelope, ...nothing, status: 'completed', output, usage };
  if (mode === 'request') return whole(completed);
  return events([
    { type: 'response.created', response: { ...envelope, status: 'in_progress' } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      ...codeEvents(item, output_index),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: completed },
  ]);
}

function codeEvents(item: ResponseItem, output_index: number): ResponseItem[] {
  if (item.type !== 'code_interpreter_call') return [];
  const at = { item_id: item['id'], output_index };
  const code = String(item['code']);
  return [
    ...halves(code).map((delta) => {
      return { type: 'response.code_interpreter_call_code.delta', ...at, delta };
    }),
    { type: 'response.code_interpreter_call_code.done', ...at, code },
  ];
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function whole(body: object): ScriptedResponse {
  return { status: 200, body: JSON.stringify(body) };
}

function events(all: readonly ResponseItem[]): ScriptedResponse {
  const body = all.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  return { status: 200, body };
}
