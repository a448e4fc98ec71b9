import { Agent, binaryContent, type Message, messageCodec } from 'holdpoint';
import {
  type ChatAccess,
  type ChatBackendOptions,
  chatHandler,
  toUiMessages,
  type UiMessageChunk,
  uiMessageChunks,
  type UiMessageChunksOptions,
} from 'holdpoint/ai-sdk-ui';
import type { AgentEvent } from 'holdpoint';
import type { ModelStreamEvent } from 'holdpoint/models';
import { calls, functionModel, responds, says, scriptedModel, thinks } from 'holdpoint/testing';
import { readUIMessageStream, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { present } from '../support/present.ts';
import { untyped } from '../support/untyped.ts';
import { authorize, janitor, outline, requireValidChunks } from './support.ts';

async function chunksOf(
  events: AsyncIterable<AgentEvent>,
  options: Partial<UiMessageChunksOptions> = {},
): Promise<UiMessageChunk[]> {
  const chunks: UiMessageChunk[] = [];
  for await (const chunk of uiMessageChunks(events, { messageId: 'm', ...options })) {
    chunks.push(chunk);
  }
  await requireValidChunks(chunks);
  return chunks;
}

/** The message that the AI SDK builds from chunks. */
async function messageOf(chunks: readonly UiMessageChunk[]): Promise<UIMessage> {
  let last: UIMessage | undefined;
  const stream = new ReadableStream<UiMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  for await (const message of readUIMessageStream({ stream })) last = message;
  return present(last);
}

const image = binaryContent(new Uint8Array([1, 2]), 'image/png');
const search = { toolName: 'web_search', toolCallId: 'native-1' } as const;

describe('uiMessageChunks', () => {
  it('shows reasoning, text, files, native tools and sources like the stored message', async () => {
    const model = scriptedModel(
      responds(
        thinks('Let me see.'),
        { kind: 'native-tool-call', ...search, args: { query: 'Lyon' } },
        { kind: 'native-tool-return', ...search, content: ['a page'], outcome: 'success' },
        'Here it is.',
        { kind: 'file', content: image },
        {
          providerDetails: {
            sources: [
              { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.test/', title: 'A' },
              { type: 'source', sourceType: 'url', id: 's2', url: 'javascript:alert(1)' },
            ],
          },
        },
      ),
    );
    const stream = new Agent({ model }).stream('Show me Lyon.');

    const chunks = await chunksOf(stream);

    const expected = 'step-start reasoning tool-web_search:output-available text file source-url';
    expect(outline(await messageOf(chunks))).toBe(expected);
    const [, stored] = toUiMessages((await stream.result).messages);
    expect(outline(present(stored))).toBe(expected);
    expect(chunks.at(0)).toEqual({ type: 'start', messageId: 'm' });
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
  });

  it('streams text and arguments as they arrive', async () => {
    const { agent } = janitor([
      calls('read_file', { path: 'a' }, { argsChunks: ['{"path"', ':"a"}'] }),
      says('Done now.', { chunks: ['Done ', 'now.'] }),
    ]);

    const chunks = await chunksOf(agent.stream('Read a.'));

    expect(chunks.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-delta',
      'tool-input-available',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
  });

  it('ends the parts of a response that broke off', async () => {
    async function* events(): AsyncGenerator<AgentEvent> {
      yield { kind: 'response-start', runId: 'r', runStep: 1 };
      yield { kind: 'part-start', index: 0, part: { kind: 'thinking', content: '' } };
      yield { kind: 'thinking-delta', index: 0, text: 'Hm' };
      const call = { kind: 'tool-call', toolName: 'x', toolCallId: 'c', args: '' } as const;
      yield { kind: 'part-start', index: 1, part: call };
      yield { kind: 'response-start', runId: 'r', runStep: 1 };
    }

    const message = await messageOf(await chunksOf(events()));

    expect(outline(message)).toBe('step-start reasoning tool-x:output-error');
  });

  it('reports that a response was cut off by its length', async () => {
    const model = scriptedModel(responds('Too', { finishReason: 'length' }));

    const chunks = await chunksOf(new Agent({ model }).stream('Write.'));

    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'length' });
  });

  it('stops the run when the consumer leaves', async () => {
    const requested: number[] = [];
    const model = functionModel(() => says('Unused.'), {
      async *stream(): AsyncGenerator<string | ModelStreamEvent> {
        for (let piece = 0; ; piece++) {
          requested.push(piece);
          yield `${piece} `;
        }
      },
    });
    const stream = new Agent({ model }).stream('Count.');

    for await (const chunk of uiMessageChunks(stream, { messageId: 'm' })) {
      if (chunk.type === 'text-delta') break;
    }

    expect(requested.length).toBeLessThan(5);
    await expect(stream.result).rejects.toThrow();
  });

  it('uses the text for errors that the caller chooses', async () => {
    const model = scriptedModel(new Error('secret'));
    const errorText = () => 'Try again later.';

    const chunks = await chunksOf(new Agent({ model }).stream('Hello.'), { errorText });

    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'Try again later.' });
  });
});

describe('toUiMessages', () => {
  it('shows prompts with files, and neither system prompts nor metadata', () => {
    const messages = messageCodec.fromJSON([
      {
        kind: 'request',
        metadata: { secret: 'x', holdpoint: { v: 1 } },
        parts: [
          { kind: 'system-prompt', content: 'Be brief.' },
          {
            kind: 'user-prompt',
            content: [
              'Look:',
              image,
              { kind: 'image-url', url: 'https://a.test/b.png' },
              { kind: 'uploaded-file', fileId: 'f', providerName: 'p' },
            ],
          },
        ],
      },
      { kind: 'response', parts: [{ kind: 'text', content: 'I see.' }] },
    ] satisfies readonly Message[]);

    expect(toUiMessages(messages)).toEqual([
      {
        id: 'prompt-0',
        role: 'user',
        parts: [
          { type: 'text', text: 'Look:' },
          { type: 'file', url: 'data:image/png;base64,AQI=', mediaType: 'image/png' },
          { type: 'file', url: 'https://a.test/b.png', mediaType: 'image/*' },
        ],
      },
      {
        id: 'response-1',
        role: 'assistant',
        parts: [{ type: 'step-start' }, { type: 'text', text: 'I see.', state: 'done' }],
      },
    ]);
  });
});

describe('chatHandler', () => {
  const { agent } = janitor([]);
  const load = () => [];
  const save = () => {};

  it.each([
    ['no `authorize`', { agent, load, save }, 'Pass `authorize` to `chatHandler`.'],
    ['no agent', { authorize, load, save }, 'Pass `agent` or `backend`.'],
    ['no storage', { authorize, agent, load }, 'Pass `load` and `save`, or `sealed`.'],
    ['two storages', { authorize, agent, load, save, sealed: save }, 'Pass `load` and `save`, or'],
    ['an agent beside a backend', { authorize, agent, backend: {} }, 'Pass either `backend`'],
    ['an unknown option', { authorize, agent, load, save, saved: 1 }, 'Did you mean `save`?'],
    ['no limit', { authorize, agent, load, save, maxBodyBytes: 0 }, 'bytes above 0'],
  ])('rejects options with %s', (_, options, message) => {
    expect(() => chatHandler(untyped<ChatBackendOptions<ChatAccess>>(options))).toThrow(message);
  });
});
