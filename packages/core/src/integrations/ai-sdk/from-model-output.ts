import { binaryContent, type FileContent } from '../../messages/content.ts';
import { isPlainObject } from '../../internal/json.ts';
import { ToolFailed } from '../../tools/signals.ts';

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
