import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { expectTypeOf } from 'vitest';
import type { LanguageModel } from './language-model.ts';

expectTypeOf<LanguageModelV3>().toExtend<LanguageModel>();
expectTypeOf<LanguageModelV4>().toExtend<LanguageModel>();
// @ts-expect-error: Older specifications are not supported.
expectTypeOf<{ specificationVersion: 'v2' }>().toExtend<LanguageModel>();
