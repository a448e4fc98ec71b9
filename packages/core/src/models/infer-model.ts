import { messageOf } from '../errors/thrown.ts';
import { UserError } from '../errors/user-errors.ts';
import { aiSdkModel, isAiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import type { LanguageModel } from './ai-sdk/language-model.ts';
import type { Model } from './model.ts';

/** A `Model`, an AI SDK language model, or a name such as `openai:gpt-5`. */
export type ModelLike = Model | LanguageModel | string;

/**
 * Returns the model for a value or a name.
 *
 * For a name it imports the provider's package: `openai:gpt-5` requires `@ai-sdk/openai`. `'test'` is a test model.
 */
export async function inferModel(model: ModelLike): Promise<Model> {
  if (model === 'test') return loadTestModel();
  if (typeof model === 'string') return loadModel(parseModelName(model));
  return toModel(model);
}

/** Converts a value to a model. Throws a `UserError` for a value that is not a model. */
export function toModel(model: Exclude<ModelLike, string>): Model {
  if (isAiSdkModel(model)) return aiSdkModel(model);
  if (typeof model === 'object' && model !== null && typeof model.request === 'function') {
    return model;
  }
  throw notAModel(model);
}

/** Imports the test model on demand, so that other programs do not load it. */
async function loadTestModel(): Promise<Model> {
  const { TestModel } = await import('./scripted/test-model.ts');
  return new TestModel();
}

function notAModel(value: unknown): UserError {
  const version =
    typeof value === 'object' && value !== null && 'specificationVersion' in value
      ? value.specificationVersion
      : undefined;
  const problem =
    version === undefined
      ? 'The value is not a model'
      : `AI SDK language models of specification \`${String(version)}\` are not supported`;
  return new UserError(
    `${problem}. Pass an AI SDK language model of specification v3 or v4 (update the provider's package if it ` +
      "is older), a `Model`, or a name such as `'openai:gpt-5'`.",
  );
}

async function loadModel(named: NamedModel): Promise<Model> {
  const provider = findProvider(await loadPackage(named), named);
  const model = provider(named.modelId);
  if (isAiSdkModel(model)) return aiSdkModel(model);
  throw notAModel(model);
}

const loading = new Map<string, Promise<unknown>>();

/** Imports the provider's package, once. */
function loadPackage({ packageName, text }: NamedModel): Promise<unknown> {
  let found = loading.get(packageName);
  if (found === undefined) {
    found = importPackage(packageName, text);
    loading.set(packageName, found);
  }
  return found;
}

async function importPackage(packageName: string, text: string): Promise<unknown> {
  try {
    // Bundlers cannot resolve a variable, so they do not require the packages of all providers.
    const specifier = packageName;
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);
  } catch (cause) {
    // The application may install the package and try again.
    loading.delete(packageName);
    const reason = messageOf(cause);
    throw new UserError(
      `Model \`${text}\` requires the package \`${packageName}\`, which cannot be loaded: ${reason}\n` +
        `Install it with \`npm install ${packageName}\`, or pass the language model itself.`,
      { cause, code: 'missing-package' },
    );
  }
}

/** The source of a model that is specified by name. */
interface NamedModel {
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
