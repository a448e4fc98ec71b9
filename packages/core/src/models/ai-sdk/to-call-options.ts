import type { ModelCall } from '../model.ts';
import type { ModelSettings } from '../settings.ts';
import type { ToolDefinition } from '../tool-definition.ts';
import type { LanguageModel, LanguageModelCallOptions } from './language-model.ts';
import type { PromptConverter } from './to-prompt.ts';

/** A tool as the AI SDK offers it to a model. */
interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly inputSchema: ToolDefinition['parametersJsonSchema'];
  readonly description?: string;
  readonly strict?: boolean;
}

/** Makes of a call what the AI SDK takes. What stays the same from step to step is made once. */
export class CallConverter {
  readonly #version: LanguageModel['specificationVersion'];
  readonly #prompts: PromptConverter;
  readonly #tools = new WeakMap<ModelCall['functionTools'], ToolList>();

  constructor(version: LanguageModel['specificationVersion'], prompts: PromptConverter) {
    this.#version = version;
    this.#prompts = prompts;
  }

  toCallOptions(call: ModelCall): LanguageModelCallOptions {
    const tools = this.#toTools(call.functionTools, call.outputTools);
    const { reasoning, ...settings } = fromSettings(call.settings);
    return {
      ...settings,
      ...(reasoning !== undefined && this.#version === 'v4' && { reasoning }),
      ...(tools.length > 0 && { tools, ...toolChoiceOf(call) }),
      ...responseFormatOf(call),
      prompt: this.#prompts.toPrompt(call.messages, call.instructions),
      abortSignal: call.signal,
    };
  }

  #toTools(
    functionTools: ModelCall['functionTools'],
    outputTools: ModelCall['outputTools'],
  ): readonly FunctionTool[] {
    const known = this.#tools.get(functionTools);
    if (known !== undefined && known.outputTools === outputTools) return known.converted;
    const converted = [...functionTools, ...outputTools].map(toFunctionTool);
    this.#tools.set(functionTools, { outputTools, converted });
    return converted;
  }
}

/** Tools in the form of the AI SDK, for one pair of lists. */
interface ToolList {
  readonly outputTools: ModelCall['outputTools'];
  readonly converted: readonly FunctionTool[];
}

function toFunctionTool(definition: ToolDefinition): FunctionTool {
  const { name, parametersJsonSchema: inputSchema, strict } = definition;
  const description = describe(definition);
  return {
    type: 'function',
    name,
    inputSchema,
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  };
}

/** The description, with what the tool returns where the model is to know it. */
function describe(definition: ToolDefinition): string | undefined {
  const { description, returnSchema, includeReturnSchema } = definition;
  if (includeReturnSchema !== true || returnSchema === undefined) return description;
  const returns = `Returns JSON of this schema: ${JSON.stringify(returnSchema)}`;
  return description === undefined ? returns : `${description}\n\n${returns}`;
}

function toolChoiceOf(call: ModelCall): Pick<LanguageModelCallOptions, 'toolChoice'> {
  const { allowText, outputSchema, settings } = call;
  const mustCall = !allowText && outputSchema === undefined;
  const type = settings?.toolChoice ?? (mustCall ? 'required' : undefined);
  return type === undefined ? {} : { toolChoice: { type } };
}

function responseFormatOf({
  outputSchema,
  settings,
}: ModelCall): Pick<LanguageModelCallOptions, 'responseFormat' | 'providerOptions'> {
  if (outputSchema === undefined) return {};
  const { name, description, schema, strict } = outputSchema;
  const about = description === undefined ? {} : { description };
  const responseFormat = { type: 'json', schema, name, ...about } as const;
  if (strict === undefined) return { responseFormat };
  // The specification has no word for it; OpenAI's own option is the one that exists.
  const openai = { strictJsonSchema: strict, ...settings?.providerOptions?.['openai'] };
  return { responseFormat, providerOptions: { ...settings?.providerOptions, openai } };
}

function fromSettings(settings: ModelSettings = {}): Omit<LanguageModelCallOptions, 'prompt'> {
  const { maxTokens, toolChoice: _, ...same } = settings;
  return maxTokens === undefined ? same : { ...same, maxOutputTokens: maxTokens };
}
