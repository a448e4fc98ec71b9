import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue, defineOwn } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import type { Model, ModelCall, ModelResponseData, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import type { JsonSchema, ToolDefinition } from '../tool-definition.ts';
import { exampleValue } from './example-value.ts';
import {
  callIdsAfter,
  copyModelCall,
  draftToEvents,
  draftToResponse,
  NATIVE_SUPPORT_OPTIONS,
  type NativeSupport,
  type ResponseDraft,
  supportsNativeTool,
} from './response-draft.ts';
import { calls, responds, says } from './scripted-model.ts';

/** Options of {@link TestModel}. */
export interface TestModelOptions extends NativeSupport {
  /** The names of the tools to call. Defaults to `all`. */
  readonly callTools?: 'all' | readonly string[] | undefined;
  /** The text output. */
  readonly customOutputText?: string | undefined;
  /** The arguments for the output tool, or the object for a native output. */
  readonly customOutputArgs?: JsonObject | undefined;
  /** Selects the output tool and the generated values. Defaults to 0. */
  readonly seed?: number | undefined;
}

const TEST_MODEL_OPTIONS: OptionTable<TestModelOptions> = {
  ...NATIVE_SUPPORT_OPTIONS,
  callTools: 'value',
  customOutputText: 'string',
  customOutputArgs: 'object',
  seed: 'number',
};

/**
 * A model that exercises an agent without a script.
 *
 * In a conversation without a response it calls every tool once, with arguments generated from the tool's
 * schema (see {@link exampleValue}). After a retry prompt it calls the tool again with the same arguments.
 * Then it calls an output tool, or sends JSON for a native output. Otherwise it sends text: the results of the
 * tools, as JSON by tool name.
 */
export class TestModel implements Model {
  readonly name = 'test';
  readonly system = 'test';
  readonly #options: TestModelOptions;
  #lastCall: ModelCall | undefined;

  constructor(options: TestModelOptions = {}) {
    checkOptions('`TestModel`', options, TEST_MODEL_OPTIONS);
    this.#options = options;
  }

  supportsNative(tool: NativeTool): boolean {
    return supportsNativeTool(this.#options, tool);
  }

  /** The last request. */
  get lastCall(): ModelCall | undefined {
    return this.#lastCall;
  }

  async request(call: ModelCall): Promise<ModelResponseData> {
    const draft = this.#draft(call);
    return draftToResponse(draft, this.name, callIdsAfter(call.messages));
  }

  async *stream(call: ModelCall): AsyncGenerator<ModelStreamEvent, void> {
    yield* draftToEvents(this.#draft(call), this.name, callIdsAfter(call.messages));
  }

  #draft(call: ModelCall): ResponseDraft {
    this.#lastCall = copyModelCall(call);
    const tools = hasNoResponse(call.messages) ? this.#selectedTools(call) : toolsToRetry(call);
    if (tools.length === 0) return this.#output(call);
    return responds(...tools.map((tool) => this.#callTool(tool, tool.parametersJsonSchema)));
  }

  #selectedTools({ functionTools }: ModelCall): readonly ToolDefinition[] {
    const { callTools = 'all' } = this.#options;
    // A search has to find the tools that are hidden.
    if (callTools === 'all') return functionTools.filter((tool) => !tool.deferLoading);
    return callTools.map((name) => {
      const definition = functionTools.find((tool) => tool.name === name);
      if (definition) return definition;
      const names = functionTools.map((tool) => tool.name).join(', ') || 'none';
      throw new UserError(
        `The option \`callTools\` contains \`${name}\`, but the tools are: ${names}. Use one of them.`,
      );
    });
  }

  #output(call: ModelCall): ResponseDraft {
    const { customOutputText, customOutputArgs, seed = 0 } = this.#options;
    if (customOutputText !== undefined) {
      if (call.allowText || call.outputSchema) return wordByWord(customOutputText);
      throw new UserError(
        'The option `customOutputText` is set, but the run cannot end with text. Use `customOutputArgs`, or ' +
          'add `String` to the outputs.',
      );
    }
    const tool = call.outputTools[Math.abs(seed) % call.outputTools.length];
    if (tool) return this.#callTool(tool, tool.parametersJsonSchema, customOutputArgs);
    if (call.outputSchema) {
      const value = customOutputArgs ?? this.#example(call.outputSchema.schema);
      return wordByWord(JSON.stringify(value));
    }
    if (customOutputArgs === undefined) return wordByWord(summarizeResults(call.messages));
    throw new UserError(
      'The option `customOutputArgs` is set, but the output of the run is text. Use `customOutputText`.',
    );
  }

  #callTool(tool: ToolDefinition, schema: JsonSchema, custom?: JsonObject): ResponseDraft {
    const args = custom ?? this.#example(schema);
    return calls(tool.name, isPlainObject(args) ? args : JSON.stringify(args));
  }

  #example(schema: JsonSchema): JsonValue {
    return exampleValue(schema, { seed: this.#options.seed });
  }
}

function hasNoResponse(messages: readonly Message[]): boolean {
  return !messages.some((message) => message.kind === 'response');
}

/** Returns the tools of the retry prompts in the last request. */
function toolsToRetry({ messages, functionTools }: ModelCall): readonly ToolDefinition[] {
  const last = messages.at(-1);
  if (last?.kind !== 'request') return [];
  return last.parts.flatMap((part) =>
    part.kind === 'retry-prompt' ? functionTools.filter((tool) => tool.name === part.toolName) : [],
  );
}

function summarizeResults(messages: readonly Message[]): string {
  const returned: Record<string, JsonValue> = {};
  for (const message of messages) {
    if (message.kind !== 'request') continue;
    for (const part of message.parts) {
      if (part.kind === 'tool-return') defineOwn(returned, part.toolName, part.content);
    }
  }
  return Object.keys(returned).length === 0 ? 'success (no tool calls)' : JSON.stringify(returned);
}

/** Creates a response whose text is streamed word by word. */
function wordByWord(text: string): ResponseDraft {
  return says(text, { chunks: text.match(/\S+\s*|\s+/g) ?? [] });
}
