import type { RunContext } from '../../context/run-context.ts';
import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject } from '../../internal/json.ts';
import { binaryContent, type FileContent } from '../../messages/content.ts';
import { v4Files } from '../../models/ai-sdk/to-file.ts';
import { PromptConverter } from '../../models/ai-sdk/to-prompt.ts';
import type { JsonSchema } from '../../models/tool-definition.ts';
import { fromJsonSchema } from '../../tools/input-schema.ts';
import { ToolFailed } from '../../tools/signals.ts';
import type { StandardSchema } from '../../tools/standard-schema.ts';

/** A tool of the AI SDK 5, 6 or 7, described structurally: the AI SDK does not have to be installed. */
export interface AiSdkTool {
  /** `undefined`, `function` or `dynamic` for functions; `provider` or `provider-defined` otherwise. */
  readonly type?: string | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  /** A Standard Schema, or the result of `jsonSchema()` or `lazySchema()` of the AI SDK. */
  readonly inputSchema?: unknown;
  /** The function of the tool. Calls to a tool without it are external. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: never, options: never) => unknown) | undefined;
  /** Converts a result for the model, in the form of the AI SDK 6 and 7. */
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly strict?: boolean | undefined;
  readonly deferLoading?: boolean | undefined;
  readonly metadata?: object | undefined;
  /** The id of a provider's tool. */
  readonly id?: string | undefined;
  /** The name of a provider's tool. Only the AI SDK 5 sets it. */
  readonly name?: string | undefined;
  readonly args?: object | undefined;
}

/** The second argument of a tool's functions in the AI SDK. */
export interface AiSdkCallOptions {
  readonly toolCallId: string;
  /** The messages of the request that led to the call. */
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
  readonly context?: unknown;
  /** The name of `context` in the AI SDK 5 and 6. */
  readonly experimental_context?: unknown;
}

/** Returns true if the tool belongs to a provider. */
export function isProviderTool(tool: AiSdkTool): boolean {
  return tool.type === 'provider' || tool.type === 'provider-defined';
}

/** Converts messages without the parts that only one provider understands. */
const converter = new PromptConverter({
  files: v4Files,
  native: { system: '', takesNative: false, search: undefined },
});

/** Returns the options of a call. They are computed when the tool reads them. */
export function callOptionsOf(ctx: RunContext, context: unknown): AiSdkCallOptions {
  return {
    toolCallId: ctx.toolCallId ?? '',
    get messages() {
      // As in the AI SDK: without the response that contains the call, and without system prompts.
      const last = ctx.messages.at(-1);
      const request = last?.kind === 'response' ? ctx.messages.slice(0, -1) : ctx.messages;
      return converter.toPrompt(request, undefined).filter(({ role }) => role !== 'system');
    },
    get abortSignal() {
      return ctx.signal;
    },
    context,
    experimental_context: context,
  };
}

/** A schema that `jsonSchema()` of the AI SDK creates. */
interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

/** Converts the input schema of an AI SDK tool. Errors refer to the tool as `label`. */
export function fromAiSdkSchema(schema: unknown, label: string): StandardSchema {
  // Lazy schemas of the AI SDK are functions, and so are the schemas of arktype.
  const resolved: unknown = typeof schema === 'function' && !isStandard(schema) ? schema() : schema;
  if (isStandard(resolved)) return resolved;
  if (!isAiSdkSchema(resolved)) {
    throw new UserError(
      `The input schema of ${label} is neither a Standard Schema nor a schema of the AI SDK. ` +
        'Pass a schema of zod 4, arktype or valibot, or use `jsonSchema()` of the AI SDK.',
    );
  }
  const { jsonSchema, validate } = resolved;
  if (!isPlainObject(jsonSchema)) {
    throw new UserError(
      `The JSON Schema of ${label} is a promise, but tools need it when they are created. ` +
        'Await the promise, and pass its value to `jsonSchema()`.',
    );
  }
  // `jsonSchema()` accepts only JSON Schemas.
  const json = jsonSchema as JsonSchema;
  return validate === undefined
    ? fromJsonSchema(json)
    : fromJsonSchema(json, async (value) => unwrapValidation(await validate(value)));
}

function isStandard(schema: unknown): schema is StandardSchema {
  const canHaveMembers = typeof schema === 'object' || typeof schema === 'function';
  return canHaveMembers && schema !== null && '~standard' in schema;
}

function isAiSdkSchema(schema: unknown): schema is AiSdkSchema {
  return typeof schema === 'object' && schema !== null && 'jsonSchema' in schema;
}

/** Returns the value of a successful validation of the AI SDK. Throws the error of a failed one. */
function unwrapValidation(validation: unknown): unknown {
  // The members are unknown, so nothing is assumed about them.
  const result = validation as { success?: unknown; value?: unknown; error?: unknown };
  if (result.success === true) return result.value;
  throw result.error ?? new Error('The value does not fit the schema.');
}

/** A model output of the AI SDK, or an item of one. Its `type` determines the other members. */
interface TypedValue {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly url?: unknown;
  readonly mediaType?: unknown;
}

/** Converts the result of `toModelOutput` to a tool result. Throws `ToolFailed` for an error. */
export function fromModelOutput(output: unknown): unknown {
  if (!isPlainObject(output)) return output;
  const { type, value, reason }: TypedValue = output;
  switch (type) {
    case 'text':
    case 'json':
      return value;
    case 'error-text':
    case 'error-json':
      throw new ToolFailed(typeof value === 'string' ? value : JSON.stringify(value));
    case 'execution-denied':
      throw new ToolFailed(typeof reason === 'string' ? reason : 'The call was not executed.');
    case 'content':
      return Array.isArray(value) ? value.map(fromItem) : value;
    default:
      return output;
  }
}

/** Converts texts and files. Other items are returned unchanged. */
function fromItem(item: TypedValue): unknown {
  if (item.type === 'text') return item.text;
  const { data } = item;
  const source: TypedValue = isPlainObject(data) ? data : { data, url: item.url };
  const mediaType = typeof item.mediaType === 'string' ? item.mediaType : undefined;
  return fileOf(source, mediaType ?? defaultMediaType(item.type)) ?? item;
}

function fileOf({ data, url }: TypedValue, mediaType: string): FileContent | undefined {
  if (typeof data === 'string') return { kind: 'binary', data, mediaType };
  if (data instanceof Uint8Array) return binaryContent(data, mediaType);
  const address = url instanceof URL ? url.href : url;
  if (typeof address !== 'string') return undefined;
  const kind = mediaType.startsWith('image/') ? 'image-url' : 'document-url';
  return { kind, url: address };
}

/** Returns the media type of a file without one. The AI SDK has separate item types for images. */
function defaultMediaType(type: unknown): string {
  return typeof type === 'string' && type.startsWith('image')
    ? 'image/*'
    : 'application/octet-stream';
}
