import { UserError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';
import { aiSdkModel, isAiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import type { LanguageModel } from './ai-sdk/language-model.ts';
import type { Model } from './model.ts';
import { findProvider, type NamedModel, parseModelName } from './model-name.ts';

/** A model: ours, one of the AI SDK, or a name such as `openai:gpt-5`. */
export type ModelLike = Model | LanguageModel | string;

/**
 * Returns the model for a value or a name.
 *
 * For a name it imports the provider's package: `openai:gpt-5` needs `@ai-sdk/openai`. `'test'` is a test model.
 */
export async function inferModel(model: ModelLike): Promise<Model> {
  if (model === 'test') return loadTestModel();
  if (typeof model === 'string') return loadModel(parseModelName(model));
  return toModel(model);
}

/** Returns the model that a value is. Throws a `UserError` for any other value. */
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
      ? 'This is not a model'
      : `A language model of AI SDK specification ${String(version)} cannot be used`;
  return new UserError(
    `${problem}. Give an AI SDK language model of specification v3 or v4 (update the provider's ` +
      "package if it is older), a Model, or a text such as 'openai:gpt-5'.",
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
    // A name that bundlers cannot see through: they must not demand the package of every provider.
    const specifier = packageName;
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);
  } catch (cause) {
    // It may be installed by the next time.
    loading.delete(packageName);
    const reason = messageOf(cause);
    throw new UserError(
      `The model '${text}' needs the package ${packageName}, which cannot be loaded: ${reason}\n` +
        `Install it with \`npm install ${packageName}\`, or give the agent the language model itself.`,
      { cause, code: 'missing-package' },
    );
  }
}
