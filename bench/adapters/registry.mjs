/**
 * What is measured: an adapter of the same name stands beside this file.
 *
 * `packages` is the smallest install that does the loop with one provider. `imports` is what a program
 * imports for it, beside zod. Kept here and not in the adapters, because import time has to be measured
 * in a process that has loaded none of them.
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

/** The bare loop that everything is compared with. */
export const LIMIT = 'limit';

/** Our own. */
export const OURS = ['holdpoint', 'holdpoint-ai-sdk'];

export const isPeer = (adapter) => adapter !== LIMIT && !OURS.includes(adapter);
