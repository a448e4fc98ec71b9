import { binaryContent, type FileContent } from '../../messages/content.ts';
import { isPlainObject } from '../../internal/json.ts';
import { ToolFailed } from '../../tools/signals.ts';

/** Something of the AI SDK that says by its type what it is. */
interface Typed {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly url?: unknown;
  readonly mediaType?: unknown;
}

/** What the model is to be told, from what `toModelOutput` of a tool gave; throws where it is a failure. */
export function fromModelOutput(output: unknown): unknown {
  if (!isPlainObject(output)) return output;
  const { type, value, reason }: Typed = output;
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

/** Text and files as a result of ours holds them; anything else stays as it is. */
function fromItem(item: Typed): unknown {
  if (item.type === 'text') return item.text;
  const { data } = item;
  const source: Typed = isPlainObject(data) ? data : { data, url: item.url };
  const mediaType = typeof item.mediaType === 'string' ? item.mediaType : undefined;
  return fileOf(source, mediaType ?? guessed(item.type)) ?? item;
}

function fileOf({ data, url }: Typed, mediaType: string): FileContent | undefined {
  if (typeof data === 'string') return { kind: 'binary', data, mediaType };
  if (data instanceof Uint8Array) return binaryContent(data, mediaType);
  const address = url instanceof URL ? url.href : url;
  if (typeof address !== 'string') return undefined;
  const kind = mediaType.startsWith('image/') ? 'image-url' : 'document-url';
  return { kind, url: address };
}

/** The media type of a file that does not tell it: the AI SDK has kinds of its own for images. */
function guessed(type: unknown): string {
  return typeof type === 'string' && type.startsWith('image')
    ? 'image/*'
    : 'application/octet-stream';
}
