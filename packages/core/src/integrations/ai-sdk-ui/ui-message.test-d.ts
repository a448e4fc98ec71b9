import type { UIMessage, UIMessageChunk } from 'ai';
import { expectTypeOf } from 'vitest';
import type { UiMessage, UiMessageChunk } from './ui-message.ts';

// The AI SDK accepts the chunks and messages that the structural types describe.
expectTypeOf<UiMessageChunk>().toExtend<UIMessageChunk>();
expectTypeOf<UiMessage>().toExtend<UIMessage>();
