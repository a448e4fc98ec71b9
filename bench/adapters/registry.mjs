/**
 * The adapters; each has a file of the same name in this folder.
 *
 * `packages` is the smallest install that executes the loop with one provider. `imports` are the imports
 * of such a program, in addition to zod. They are separate from the adapters, because import time is
 * measured in a process that loads no adapter.
 */
export const ADAPTERS = {
  limit: { packages: ['zod'], imports: [] },
  holdpoint: { packages: ['holdpoint', 'zod'], imports: ['holdpoint'] },
  'holdpoint-ai-sdk': { packages: ['holdpoint', '@ai-sdk/openai', 'zod'], imports: ['holdpoint'] },
  'ai-sdk': { packages: ['ai', '@ai-sdk/openai', 'zod'], imports: ['ai'] },
  genkit: { packages: ['genkit', '@genkit-ai/google-genai', 'zod'], imports: ['genkit/beta'] },
  langchain: {
    packages: ['langchain', '@langchain/core', '@langchain/openai', 'zod'],
    imports: ['langchain'],
  },
  mastra: { packages: ['@mastra/core', '@ai-sdk/openai', 'zod'], imports: ['@mastra/core/agent'] },
  'openai-agents': { packages: ['@openai/agents', 'zod'], imports: ['@openai/agents'] },
  'tanstack-ai': {
    packages: ['@tanstack/ai', '@tanstack/ai-openai', 'zod'],
    imports: ['@tanstack/ai'],
  },
};

/** The bare loop, the baseline of all ratios. */
export const LIMIT = 'limit';

/** The adapters of Holdpoint. */
export const HOLDPOINT = ['holdpoint', 'holdpoint-ai-sdk'];

export const isPeer = (adapter) => adapter !== LIMIT && !HOLDPOINT.includes(adapter);
