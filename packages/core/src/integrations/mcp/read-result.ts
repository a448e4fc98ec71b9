import {
  binaryContentFormat,
  jsonObjectFormat,
  JsonPath,
  stringFormat,
} from '../../messages/codec/index.ts';
import { type BinaryContent, bytesOf, type UserContent } from '../../messages/content.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { ModelRetry, ToolReturn } from '../../tools/signals.ts';

/**
 * What a server answered to a call, as what a tool returns.
 *
 * An error of the tool is thrown as `ModelRetry`; an answer that is no result, as an `InvalidJsonError`.
 */
export function readResult(answer: unknown, call: ToolCallPart): ToolReturn | JsonValue {
  const result = jsonObjectFormat.read(answer, JsonPath.root);
  const reader = new ResultReader(call.toolCallId);
  reader.readBlocks(result['content'] ?? []);
  const structured = result['structuredContent'] ?? undefined;
  if (result['isError'] === true) throw new ModelRetry(reader.errorText(structured));
  return reader.finish(structured, metaOf(result));
}

function metaOf(result: JsonObject): JsonObject | undefined {
  const meta = result['_meta'] ?? undefined;
  return meta === undefined ? undefined : jsonObjectFormat.read(meta, JsonPath.of('_meta'));
}

/** Collects the blocks of one result. */
class ResultReader {
  readonly #callId: string;
  readonly #texts: string[] = [];
  /** What the blocks come to, in order; texts are strings. */
  readonly #items: { readonly isText: boolean; readonly value: JsonValue }[] = [];
  /** Files for the model, each after a line that names it. */
  readonly #content: UserContent[] = [];
  /** Files that models do not take. */
  readonly #files: BinaryContent[] = [];

  constructor(callId: string) {
    this.#callId = callId;
  }

  readBlocks(blocks: JsonValue): void {
    const path = JsonPath.of('content');
    if (!Array.isArray(blocks)) return path.mismatch('an array', blocks);
    for (const [index, block] of blocks.entries()) {
      this.#readBlock(jsonObjectFormat.read(block, path.at(index)), path.at(index));
    }
  }

  /** What the model is told of an error. */
  errorText(structured: JsonValue | undefined): string {
    if (this.#texts.length > 0) return this.#texts.join('\n');
    return structured === undefined ? 'The tool failed.' : JSON.stringify(structured);
  }

  finish(structured: JsonValue | undefined, meta: JsonObject | undefined): ToolReturn | JsonValue {
    // Structured content says the same as the texts beside it.
    const kept = this.#items.filter((item) => structured === undefined || !item.isText);
    const values = kept.map((item) => item.value);
    if (structured !== undefined) values.unshift(structured);
    const returnValue: JsonValue = values.length > 1 ? values : (values[0] ?? null);
    const mcp = { ...(meta && { meta }), ...(this.#files.length > 0 && { files: this.#files }) };
    const metadata = Object.keys(mcp).length > 0 ? { mcp } : undefined;
    if (this.#content.length === 0 && metadata === undefined) return returnValue;
    return new ToolReturn({
      returnValue,
      metadata,
      content: this.#content.length > 0 ? this.#content : undefined,
    });
  }

  #readBlock(block: JsonObject, path: JsonPath): void {
    switch (block['type']) {
      case 'text': {
        const text = readString(block, 'text', path);
        this.#texts.push(text);
        this.#items.push({ isText: true, value: text });
        return;
      }
      case 'image':
      case 'audio':
        this.#add(this.#addFile(block, 'data', path));
        return;
      case 'resource':
        this.#add(this.#readResource(block['resource'], path.at('resource')));
        return;
      case 'resource_link':
        this.#add(describe(block, ['uri', 'name', 'title', 'description', 'mimeType', 'size']));
        return;
      default:
        // A kind of block that is younger than this code: the model may understand it.
        this.#add(block);
    }
  }

  #readResource(value: JsonValue | undefined, path: JsonPath): JsonValue {
    const resource = jsonObjectFormat.read(value, path);
    const about = describe(resource, ['uri', 'mimeType']);
    if (resource['blob'] === undefined)
      return { ...about, text: readString(resource, 'text', path) };
    const text = textOf(resource);
    return text === undefined
      ? { ...about, file: this.#addFile(resource, 'blob', path) }
      : { ...about, text };
  }

  /** Takes a file out of a block; what is left there is a mention of it. */
  #addFile(holder: JsonObject, member: 'data' | 'blob', path: JsonPath): string {
    const mediaType = mediaTypeOf(holder);
    const number = this.#content.length / 2 + this.#files.length + 1;
    const identifier = `${this.#callId}-${number}`;
    const data = holder[member];
    const file = binaryContentFormat.read({ kind: 'binary', data, mediaType, identifier }, path);
    if (!isForModels(mediaType)) {
      this.#files.push(file);
      return `A file of type ${mediaType}, which is not shown.`;
    }
    this.#content.push(`File ${identifier}:`, file);
    return `See file ${identifier}.`;
  }

  #add(value: JsonValue): void {
    this.#items.push({ isText: false, value });
  }
}

function readString(holder: JsonObject, member: string, path: JsonPath): string {
  return stringFormat.read(holder[member], path.at(member));
}

/** The members of these names that are there. */
function describe(holder: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const member = holder[name];
      return typeof member === 'string' || typeof member === 'number' ? [[name, member]] : [];
    }),
  );
}

/** A media type that a provider will not stumble over. */
function mediaTypeOf(holder: JsonObject): string {
  const type = holder['mimeType'];
  return typeof type === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(type)
    ? type.toLowerCase()
    : 'application/octet-stream';
}

/** The text in a file of text; nothing if it is another file. */
function textOf(resource: JsonObject): string | undefined {
  const mediaType = mediaTypeOf(resource);
  if (!mediaType.startsWith('text/') && mediaType !== 'application/json') return undefined;
  try {
    const bytes = bytesOf({ kind: 'binary', data: String(resource['blob']), mediaType });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether there are models that take such files; the others would refuse every request with it. */
function isForModels(mediaType: string): boolean {
  if (mediaType.endsWith('+xml')) return false;
  return /^(image|audio|video)\//.test(mediaType) || mediaType === 'application/pdf';
}
