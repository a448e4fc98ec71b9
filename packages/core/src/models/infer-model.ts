import { UserError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';
import { aiSdkModel, isAiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import type { LanguageModel } from './ai-sdk/language-model.ts';
import type { Model } from './model.ts';
import { findProvider, type NamedModel, parseModelName } from './model-name.ts';

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
