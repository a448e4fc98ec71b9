import type {
  LanguageModel,
  LanguageModelResult,
  LanguageModelCallOptions,
} from '../../src/models/ai-sdk/language-model.ts';

/** A language model of the AI SDK that answers as told and keeps what it was asked. */
export interface FakeLanguageModel extends LanguageModel {
  readonly asked: LanguageModelCallOptions[];
  /** Resolves when its stream was cancelled. */
  readonly cancelled: Promise<unknown>;
}

/** What the fake answers with: whole, in pieces, or not at all. */
export interface FakeBehavior {
  readonly version?: 'v3' | 'v4';
  readonly content?: LanguageModelResult['content'];
  readonly answer?: Partial<LanguageModelResult>;
  /** The pieces of a stream. */
  readonly pieces?: readonly Piece[];
  /** Whether the stream stays open after its last piece. */
  readonly stalls?: boolean;
  /** What asking it throws. */
  readonly throws?: unknown;
}

interface Piece {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Usage of which nothing is known. */
const NO_USAGE = {
  inputTokens: { total: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, reasoning: undefined },
} as const;

/** The last piece of a stream. */
export const FINISH: Piece = { type: 'finish', finishReason: { unified: 'stop' }, usage: NO_USAGE };

export function fakeLanguageModel(behavior: FakeBehavior = {}): FakeLanguageModel {
  const asked: LanguageModelCallOptions[] = [];
  let cancel: (reason: unknown) => void = () => {};
  const cancelled = new Promise<unknown>((resolve) => {
    cancel = resolve;
  });
  const ask = (options: LanguageModelCallOptions) => {
    asked.push(options);
    if ('throws' in behavior) throw behavior.throws;
  };
  return {
    specificationVersion: behavior.version ?? 'v4',
    provider: 'fake.chat',
    modelId: 'fake-1',
    asked,
    cancelled,
    async doGenerate(options) {
      ask(options);
      const content = behavior.content ?? [{ type: 'text', text: 'Hi.' }];
      return { content, finishReason: { unified: 'stop' }, usage: NO_USAGE, ...behavior.answer };
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
