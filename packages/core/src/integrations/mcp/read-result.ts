import { readString, Trail } from '../../messages/codec/index.ts';
import { readBinaryContent } from '../../messages/codec/read-content.ts';
import { readJson, readJsonObject } from '../../messages/codec/read-json.ts';
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
  const trail = new Trail();
  const result = readJsonObject(answer, trail);
  const reader = new ResultReader(call.toolCallId);
  reader.readBlocks(result['content'] ?? []);
  const structured = result['structuredContent'] ?? undefined;
  if (result['isError'] === true) throw new ModelRetry(reader.errorText(structured));
  return reader.finish(structured, metaOf(result, trail));
}

function metaOf(result: JsonObject, trail: Trail): JsonObject | undefined {
  const meta = result['_meta'] ?? undefined;
  if (meta === undefined) return undefined;
  trail.enter('_meta');
  return readJsonObject(meta, trail);
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
  readonly #trail = Trail.at('content');

  constructor(callId: string) {
    this.#callId = callId;
  }

  readBlocks(blocks: JsonValue): void {
    if (!Array.isArray(blocks)) return this.#trail.mismatch('an array', blocks);
    for (const [index, block] of blocks.entries()) {
      this.#trail.enter(index);
      this.#readBlock(readJsonObject(block, this.#trail));
      this.#trail.leave();
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

  #readBlock(block: JsonObject): void {
    switch (block['type']) {
      case 'text': {
        const text = this.#string(block, 'text');
        this.#texts.push(text);
        this.#items.push({ isText: true, value: text });
        return;
      }
      case 'image':
      case 'audio':
        this.#add(this.#addFile(block, 'data'));
        return;
      case 'resource':
        this.#trail.enter('resource');
        this.#add(this.#readResource(readJsonObject(block['resource'], this.#trail)));
        this.#trail.leave();
        return;
      case 'resource_link':
        this.#add(describe(block, ['uri', 'name', 'title', 'description', 'mimeType', 'size']));
        return;
      default:
        // A kind of block that is younger than this code: the model may understand it.
        this.#add(readJson(block, this.#trail));
    }
  }

  #readResource(resource: JsonObject): JsonValue {
    const about = describe(resource, ['uri', 'mimeType']);
    if (resource['blob'] === undefined) return { ...about, text: this.#string(resource, 'text') };
    const text = textOf(resource);
    return text === undefined
      ? { ...about, file: this.#addFile(resource, 'blob') }
      : { ...about, text };
  }

  /** Takes a file out of a block; what is left there is a mention of it. */
  #addFile(holder: JsonObject, member: 'data' | 'blob'): string {
    const mediaType = mediaTypeOf(holder);
    const number = this.#content.length / 2 + this.#files.length + 1;
    const identifier = `${this.#callId}-${number}`;
    const data = holder[member];
    const file = readBinaryContent({ kind: 'binary', data, mediaType, identifier }, this.#trail);
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

  #string(holder: JsonObject, member: string): string {
    this.#trail.enter(member);
    const text = readString(holder[member], this.#trail);
    this.#trail.leave();
    return text;
  }
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
