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
 * Converts a server's response to the return value of a tool.
 *
 * Throws `ModelRetry` for an error of the tool, and `InvalidJsonError` for an invalid response.
 */
export function readMcpResult(response: unknown, call: ToolCallPart): ToolReturn | JsonValue {
  const result = jsonObjectFormat.read(response, JsonPath.root);
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
  /** The values of the blocks, in order. Texts are strings. */
  readonly #items: { readonly isText: boolean; readonly value: JsonValue }[] = [];
  /** The files for the model, each after a line with its name. */
  readonly #content: UserContent[] = [];
  /** The files that models do not accept. */
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

  /** Returns the message of an error for the model. */
  errorText(structured: JsonValue | undefined): string {
    if (this.#texts.length > 0) return this.#texts.join('\n');
    return structured === undefined ? 'The tool failed.' : JSON.stringify(structured);
  }

  finish(structured: JsonValue | undefined, meta: JsonObject | undefined): ToolReturn | JsonValue {
    // The texts beside structured content repeat it.
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
        this.#add(pickMembers(block, ['uri', 'name', 'title', 'description', 'mimeType', 'size']));
        return;
      default:
        // A kind of block of a newer protocol: the model may understand it.
        this.#add(block);
    }
  }

  #readResource(value: JsonValue | undefined, path: JsonPath): JsonValue {
    const resource = jsonObjectFormat.read(value, path);
    const about = pickMembers(resource, ['uri', 'mimeType']);
    if (resource['blob'] === undefined)
      return { ...about, text: readString(resource, 'text', path) };
    const text = decodeText(resource);
    return text === undefined
      ? { ...about, file: this.#addFile(resource, 'blob', path) }
      : { ...about, text };
  }

  /** Moves a file out of a block. Returns the text that replaces it. */
  #addFile(holder: JsonObject, member: 'data' | 'blob', path: JsonPath): string {
    const mediaType = mediaTypeOfBlock(holder);
    const number = this.#content.length / 2 + this.#files.length + 1;
    const identifier = `${this.#callId}-${number}`;
    const data = holder[member];
    const file = binaryContentFormat.read({ kind: 'binary', data, mediaType, identifier }, path);
    if (!isAcceptedByModels(mediaType)) {
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

/** Returns the members with these names that are texts or numbers. */
function pickMembers(holder: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const member = holder[name];
      return typeof member === 'string' || typeof member === 'number' ? [[name, member]] : [];
    }),
  );
}

/** Returns the media type, or a generic one if providers would reject it. */
function mediaTypeOfBlock(holder: JsonObject): string {
  const type = holder['mimeType'];
  return typeof type === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(type)
    ? type.toLowerCase()
    : 'application/octet-stream';
}

/** Returns the text of a text file, or `undefined` for other files. */
function decodeText(resource: JsonObject): string | undefined {
  const mediaType = mediaTypeOfBlock(resource);
  if (!mediaType.startsWith('text/') && mediaType !== 'application/json') return undefined;
  try {
    const bytes = bytesOf({ kind: 'binary', data: String(resource['blob']), mediaType });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns true if some models accept such files. Others fail every request that contains one. */
function isAcceptedByModels(mediaType: string): boolean {
  if (mediaType.endsWith('+xml')) return false;
  return /^(image|audio|video)\//.test(mediaType) || mediaType === 'application/pdf';
}
