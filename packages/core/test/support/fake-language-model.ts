import type {
  LanguageModel,
  LanguageModelResult,
  LanguageModelCallOptions,
} from '../../src/models/ai-sdk/language-model.ts';

/** An AI SDK language model with scripted responses; it records its calls. */
export interface FakeLanguageModel extends LanguageModel {
  readonly received: LanguageModelCallOptions[];
  /** Resolves when its stream was cancelled. */
  readonly cancelled: Promise<unknown>;
}

/** The behaviour of the fake: a complete response, a stream, or an error. */
export interface FakeBehavior {
  readonly version?: 'v3' | 'v4';
  readonly content?: LanguageModelResult['content'];
  readonly response?: Partial<LanguageModelResult>;
  /** The pieces of a stream. */
  readonly pieces?: readonly Piece[];
  /** True if the stream stays open after its last chunk. */
  readonly stalls?: boolean;
  /** The error that a call throws. */
  readonly throws?: unknown;
}

interface Piece {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Unknown usage. */
const NO_USAGE = {
  inputTokens: { total: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, reasoning: undefined },
} as const;

/** The last piece of a stream. */
export const FINISH: Piece = { type: 'finish', finishReason: { unified: 'stop' }, usage: NO_USAGE };

export function fakeLanguageModel(behavior: FakeBehavior = {}): FakeLanguageModel {
  const received: LanguageModelCallOptions[] = [];
  let cancel: (reason: unknown) => void = () => {};
  const cancelled = new Promise<unknown>((resolve) => {
    cancel = resolve;
  });
  const ask = (options: LanguageModelCallOptions) => {
    received.push(options);
    if ('throws' in behavior) throw behavior.throws;
  };
  return {
    specificationVersion: behavior.version ?? 'v4',
    provider: 'fake.chat',
    modelId: 'fake-1',
    received,
    cancelled,
    async doGenerate(options) {
      ask(options);
      const content = behavior.content ?? [{ type: 'text', text: 'Hi.' }];
      return { content, finishReason: { unified: 'stop' }, usage: NO_USAGE, ...behavior.response };
    },
    async doStream(options) {
      ask(options);
      const stream = new ReadableStream<Piece>({
        start(controller) {
          for (const piece of behavior.pieces ?? [FINISH]) controller.enqueue(piece);
          if (behavior.stalls !== true) controller.close();
        },
        cancel,
      });
      return { stream };
    },
  };
}
