import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue, defineOwn } from '../../internal/json.ts';
import type { Message } from '../../messages/message.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Model, ModelCall, ModelReply, ModelStreamEvent } from '../model.ts';
import type { NativeTool } from '../native-tool.ts';
import type { ToolDefinition } from '../tool-definition.ts';
import { calls, responds, says } from './builders.ts';
import { callIdsAfter } from './call-ids.ts';
import { draftToEvents } from './draft-stream.ts';
import { exampleValue } from './example-value.ts';
import { hasNative, NATIVE_SUPPORT, type NativeSupport } from './native-support.ts';
import { recordedCall } from './recorded-call.ts';
import { draftToReply, type ResponseDraft } from './response-draft.ts';

/** What a {@link TestModel} does. */
export interface TestModelOptions extends NativeSupport {
  /** The tools to call, by name; `all` unless said otherwise. */
  readonly callTools?: 'all' | readonly string[] | undefined;
  /** The text to answer with in the end. */
  readonly customOutputText?: string | undefined;
  /** The arguments for the output tool, or the object for a native output. */
  readonly customOutputArgs?: JsonObject | undefined;
  /** Chooses among several output tools and other generated values; 0 unless said otherwise. */
  readonly seed?: number | undefined;
}

const OPTIONS: OptionTable<TestModelOptions> = {
  ...NATIVE_SUPPORT,
  callTools: 'value',
  customOutputText: 'string',
  customOutputArgs: 'object',
  seed: 'number',
};

/**
 * A model that tries out an agent without being told what to say.
 *
 * In a conversation without any response it calls every tool once, with arguments made from the
 * tool's schema (see {@link exampleValue}). A tool that asks for another try is called again with the
 * same arguments. Then it answers: through an output tool if there is one, with JSON where the output
 * is native, and otherwise with text: what the tools returned, as JSON by tool name.
 */
export class TestModel implements Model {
  readonly name = 'test';
  readonly system = 'test';
  readonly #options: TestModelOptions;
  #lastCall: ModelCall | undefined;

  constructor(options: TestModelOptions = {}) {
    checkOptions('`TestModel`', options, OPTIONS);
    this.#options = options;
  }

  supportsNative(tool: NativeTool): boolean {
    return hasNative(this.#options, tool);
  }

  /** What the model was asked last. */
  get lastCall(): ModelCall | undefined {
    return this.#lastCall;
  }

  async request(call: ModelCall): Promise<ModelReply> {
    const draft = this.#draft(call);
    return draftToReply(draft, this.name, callIdsAfter(call.messages));
  }

  async *stream(call: ModelCall): AsyncGenerator<ModelStreamEvent, void> {
    yield* draftToEvents(this.#draft(call), this.name, callIdsAfter(call.messages));
  }

  #draft(call: ModelCall): ResponseDraft {
    this.#lastCall = recordedCall(call);
    const tools = isFirst(call.messages) ? this.#chosenTools(call) : toolsToRetry(call);
    if (tools.length === 0) return this.#answer(call);
    return responds(...tools.map((tool) => this.#callTo(tool, tool.parametersJsonSchema)));
  }

  #chosenTools({ functionTools }: ModelCall): readonly ToolDefinition[] {
    const { callTools = 'all' } = this.#options;
    // What nothing has surfaced yet is for a search to find.
    if (callTools === 'all') return functionTools.filter((tool) => !tool.deferLoading);
    return callTools.map((name) => {
      const found = functionTools.find((tool) => tool.name === name);
      if (found) return found;
      const offered = functionTools.map((tool) => tool.name).join(', ') || 'none';
      throw new UserError(`There is no tool ${name} to call. The tools on offer: ${offered}.`);
    });
  }

  #answer(call: ModelCall): ResponseDraft {
    const { customOutputText, customOutputArgs, seed = 0 } = this.#options;
    if (customOutputText !== undefined) {
      if (call.allowText || call.outputSchema) return inWords(customOutputText);
      throw new UserError(
        '`customOutputText` is given, but the run cannot end with text. Use `customOutputArgs`, or ' +
          'add String to the outputs.',
      );
    }
    const tool = call.outputTools[Math.abs(seed) % call.outputTools.length];
    if (tool) return this.#callTo(tool, tool.parametersJsonSchema, customOutputArgs);
    if (call.outputSchema) {
      const value = customOutputArgs ?? this.#example(call.outputSchema.schema);
      return inWords(JSON.stringify(value));
    }
    if (customOutputArgs === undefined) return inWords(summaryOf(call.messages));
    throw new UserError(
      '`customOutputArgs` are given, but the output of the run is text. Use `customOutputText`.',
    );
  }

  #callTo(tool: ToolDefinition, schema: JsonSchema, custom?: JsonObject): ResponseDraft {
    const args = custom ?? this.#example(schema);
    return calls(tool.name, isPlainObject(args) ? args : JSON.stringify(args));
  }

  #example(schema: JsonSchema): JsonValue {
    return exampleValue(schema, { seed: this.#options.seed });
  }
}

function isFirst(messages: readonly Message[]): boolean {
  return !messages.some((message) => message.kind === 'response');
}

/** The tools that the last request asks to be called again, one for each failed call. */
function toolsToRetry({ messages, functionTools }: ModelCall): readonly ToolDefinition[] {
  const last = messages.at(-1);
  if (last?.kind !== 'request') return [];
  return last.parts.flatMap((part) =>
    part.kind === 'retry-prompt' ? functionTools.filter((tool) => tool.name === part.toolName) : [],
  );
}

function summaryOf(messages: readonly Message[]): string {
  const returned: Record<string, JsonValue> = {};
  for (const message of messages) {
    if (message.kind !== 'request') continue;
    for (const part of message.parts) {
      if (part.kind === 'tool-return') defineOwn(returned, part.toolName, part.content);
    }
  }
  return Object.keys(returned).length === 0 ? 'success (no tool calls)' : JSON.stringify(returned);
}

/** Text that is streamed word by word. */
function inWords(text: string): ResponseDraft {
  return says(text, { chunks: text.match(/\S+\s*|\s+/g) ?? [] });
}
