import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { FallbackModelsError, ModelError } from '../errors/model-errors.ts';
import { isThrown } from '../errors/thrown.ts';
import { dialectSupports } from './ai-sdk/native/native-dialect.ts';
import { INTERFACES, nativeDialectOf } from './ai-sdk/native/native-tool-table.ts';
import { inferModel, type ModelLike, toModel } from './infer-model.ts';
import {
  type Model,
  type ModelCall,
  type ModelResponseData,
  type ModelStreamEvent,
  streamOf,
} from './model.ts';
import type { NativeTool } from './native-tool.ts';
import { mergeSettings } from './settings.ts';

/** Options of {@link fallbackModel}. */
export interface FallbackOptions {
  /** Returns true if the next model is requested after an error. Defaults to true for a {@link ModelError}. */
  readonly when?: ((error: unknown) => boolean) | undefined;
}

const FALLBACK_OPTIONS: OptionTable<FallbackOptions> = { when: 'function' };

/**
 * Makes a model that requests the first of several models and, if it fails, the next one.
 *
 * After a model has started to stream its response, an error is thrown and no other model is requested. If all
 * models fail, it throws a {@link FallbackModelsError} that names each of them. It supports the native tools
 * that all models support.
 */
export function fallbackModel(
  first: ModelLike,
  ...others: readonly ModelLike[] | readonly [...ModelLike[], FallbackOptions]
): Model {
  // Callers without types may pass any value.
  if (typeof first !== 'string') toModel(first);
  const models: ModelLike[] = [first];
  let options: FallbackOptions = {};
  for (const other of others) {
    if (isOptions(other)) options = other;
    else models.push(other);
  }
  checkOptions('`fallbackModel`', options, FALLBACK_OPTIONS);
  return new FallbackModel(models, options.when ?? isModelFailure);
}

function isOptions(value: ModelLike | FallbackOptions): value is FallbackOptions {
  return typeof value === 'object' && !('request' in value) && !('doGenerate' in value);
}

function isModelFailure(error: unknown): boolean {
  return isThrown(error, ModelError) || isThrown(error, FallbackModelsError);
}

interface Failure {
  readonly modelName: string;
  readonly error: unknown;
}

class FallbackModel implements Model {
  readonly name: string;
  readonly system = 'fallback';
  readonly #models: readonly ModelLike[];
  readonly #when: (error: unknown) => boolean;

  constructor(models: readonly ModelLike[], when: (error: unknown) => boolean) {
    this.name = `fallback(${models.map(modelNameOf).join(', ')})`;
    this.#models = models;
    this.#when = when;
  }

  supportsNative(tool: NativeTool): boolean {
    return this.#models.every((model) => modelSupports(model, tool));
  }

  async request(call: ModelCall): Promise<ModelResponseData> {
    const failures: Failure[] = [];
    for (const source of this.#models) {
      const model = await inferModel(source);
      try {
        return await model.request(callFor(model, call));
      } catch (error) {
        this.#record({ modelName: model.name, error }, failures, call);
      }
    }
    throw new FallbackModelsError(failures);
  }

  async *stream(call: ModelCall): AsyncGenerator<ModelStreamEvent, void, undefined> {
    const failures: Failure[] = [];
    for (const source of this.#models) {
      const model = await inferModel(source);
      let started = false;
      try {
        for await (const event of streamOf(model, callFor(model, call))) {
          started = true;
          yield event;
        }
        return;
      } catch (error) {
        if (started) throw error;
        this.#record({ modelName: model.name, error }, failures, call);
      }
    }
    throw new FallbackModelsError(failures);
  }

  /** Records a failure if the next model is to be requested. Otherwise throws it. */
  #record(failure: Failure, failures: Failure[], call: ModelCall): void {
    if (call.signal.aborted || !this.#when(failure.error)) throw failure.error;
    failures.push(failure);
  }
}

function modelSupports(source: ModelLike, tool: NativeTool): boolean {
  if (typeof source === 'string') return namedModelSupports(source, tool);
  return toModel(source).supportsNative?.(tool) ?? false;
}

/** Returns true if the model with the name `provider:model` supports a native tool. Does not load its package. */
function namedModelSupports(text: string, tool: NativeTool): boolean {
  const colon = text.indexOf(':');
  const provider = INTERFACES.get(text.slice(0, colon));
  if (colon === -1 || provider === undefined) return false;
  return dialectSupports(nativeDialectOf(provider), text.slice(colon + 1), tool);
}

function modelNameOf(model: ModelLike): string {
  if (typeof model === 'string') return model;
  return 'name' in model ? model.name : model.modelId;
}

/** Adds the settings of the model, which the run does not know. Settings of the call take precedence. */
function callFor(model: Model, call: ModelCall): ModelCall {
  if (model.settings === undefined) return call;
  const settings = mergeSettings(model.settings, call.settings);
  // A spread omits the signal if it is a getter of a class.
  return { ...call, signal: call.signal, settings };
}
