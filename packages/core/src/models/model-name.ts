import { UserError } from '../errors/user-errors.ts';

/** The source of a model that is specified by name. */
export interface NamedModel {
  /** The name that the application passed. */
  readonly text: string;
  /** The package of the provider. */
  readonly packageName: string;
  /** The export of the package that makes models, with a method if it has several. */
  readonly factory: readonly string[];
  readonly modelId: string;
}

type ProviderSource = readonly [packageName: string, ...factory: readonly string[]];

/** The providers of the AI SDK, by the name before the colon. */
const PROVIDERS: ReadonlyMap<string, ProviderSource> = new Map<string, ProviderSource>([
  ['alibaba', ['@ai-sdk/alibaba', 'alibaba']],
  ['anthropic', ['@ai-sdk/anthropic', 'anthropic']],
  ['azure', ['@ai-sdk/azure', 'azure']],
  ['bedrock', ['@ai-sdk/amazon-bedrock', 'bedrock']],
  ['cerebras', ['@ai-sdk/cerebras', 'cerebras']],
  ['cohere', ['@ai-sdk/cohere', 'cohere']],
  ['deepinfra', ['@ai-sdk/deepinfra', 'deepinfra']],
  ['deepseek', ['@ai-sdk/deepseek', 'deepseek']],
  ['fireworks', ['@ai-sdk/fireworks', 'fireworks']],
  ['gateway', ['@ai-sdk/gateway', 'gateway']],
  ['google', ['@ai-sdk/google', 'google']],
  ['google-vertex', ['@ai-sdk/google-vertex', 'vertex']],
  ['groq', ['@ai-sdk/groq', 'groq']],
  ['huggingface', ['@ai-sdk/huggingface', 'huggingface']],
  ['mistral', ['@ai-sdk/mistral', 'mistral']],
  ['moonshotai', ['@ai-sdk/moonshotai', 'moonshotai']],
  ['openai', ['@ai-sdk/openai', 'openai']],
  ['openai-chat', ['@ai-sdk/openai', 'openai', 'chat']],
  ['openai-responses', ['@ai-sdk/openai', 'openai', 'responses']],
  ['perplexity', ['@ai-sdk/perplexity', 'perplexity']],
  ['togetherai', ['@ai-sdk/togetherai', 'togetherai']],
  ['vercel', ['@ai-sdk/vercel', 'vercel']],
  ['xai', ['@ai-sdk/xai', 'xai']],
]);

const GATEWAY = 'gateway/';

/** Parses a name such as `openai:gpt-5` or `gateway/openai:gpt-5`. */
export function parseModelName(text: string): NamedModel {
  if (text.startsWith(GATEWAY)) {
    const routed = text.slice(GATEWAY.length);
    // The gateway uses the form `provider/model`.
    return toNamedModel(text, 'gateway', routed.includes('/') ? routed : routed.replace(':', '/'));
  }
  const colon = text.indexOf(':');
  if (colon === -1) {
    throw new UserError(
      `Model \`${text}\` has no provider. Use the form \`provider:model\`, such as ${suggestionsFor(text)}.`,
    );
  }
  return toNamedModel(text, text.slice(0, colon), text.slice(colon + 1));
}

/** Suggests names for a text without a colon. The AI SDK gateway uses the form `provider/model`. */
function suggestionsFor(text: string): string {
  const slash = text.indexOf('/');
  const provider = text.slice(0, Math.max(slash, 0));
  if (!PROVIDERS.has(provider)) return `\`openai:${text}\``;
  const routed = `${provider}:${text.slice(slash + 1)}`;
  return `\`${routed}\`, or \`${GATEWAY}${routed}\` for the gateway`;
}

function toNamedModel(text: string, providerName: string, modelId: string): NamedModel {
  const source = PROVIDERS.get(providerName);
  if (source === undefined) {
    throw new UserError(
      `Unknown provider \`${providerName}\` of model \`${text}\`. ` +
        `Use one of ${[...PROVIDERS.keys()].join(', ')}. ` +
        'For another provider, pass the language model itself.',
    );
  }
  if (modelId === '') {
    throw new UserError(
      `Model \`${text}\` has a provider but no model name. Use the form \`${providerName}:model\`.`,
    );
  }
  const [packageName, ...factory] = source;
  return { text, packageName, factory, modelId };
}

/** Returns the function of a provider's package that makes a model from its id. */
export function findProvider(
  module: unknown,
  { packageName, factory, text }: NamedModel,
): (modelId: string) => unknown {
  let found = module;
  for (const name of factory) {
    const holder = found as Readonly<Record<string, unknown>> | null | undefined; // checked below
    found = holder?.[name];
  }
  if (typeof found === 'function') return found as (modelId: string) => unknown; // see the AI SDK
  throw new UserError(
    `Model \`${text}\` requires \`${factory.join('.')}\` from \`${packageName}\`, which does not export it. ` +
      'Update the package, or pass the language model itself.',
  );
}
