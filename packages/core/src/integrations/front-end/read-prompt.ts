import { isPlainObject } from '../../internal/json.ts';
import {
  binaryContent,
  type FileContent,
  type UserContent,
  type UserPrompt,
} from '../../messages/content.ts';
import { ChatProblem } from './chat-problem.ts';

/** The rules for files in prompts. */
export interface ReadPromptOptions {
  /** Returns true if a file may have this `https:` address. */
  readonly allowFileUrl: (url: URL) => boolean;
}

/** Reads the text and the files of a user message. */
export function readPrompt(parts: unknown, options: ReadPromptOptions): UserPrompt {
  if (!Array.isArray(parts)) throw new ChatProblem(400, 'The message has no parts.');
  const content = parts.filter(isPlainObject).flatMap((part) => readContent(part, options));
  if (content.length === 0) throw new ChatProblem(400, 'The message has neither text nor a file.');
  return content.every((item) => typeof item === 'string') ? content.join('') : content;
}

function readContent(
  { type, text, url, mediaType }: Readonly<Record<string, unknown>>,
  options: ReadPromptOptions,
): UserContent[] {
  if (type === 'text' && typeof text === 'string') return text === '' ? [] : [text];
  if (type !== 'file') return [];
  if (typeof url !== 'string') throw new ChatProblem(400, 'A file has no address.');
  return [readPromptFile(url, typeof mediaType === 'string' ? mediaType : undefined, options)];
}

function readPromptFile(
  address: string,
  mediaType: string | undefined,
  { allowFileUrl }: ReadPromptOptions,
): FileContent {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'data:') return readDataUrl(address);
  if (url?.protocol !== 'https:' || !allowFileUrl(url)) {
    throw new ChatProblem(400, 'Files at this address are not allowed. Attach the file itself.');
  }
  return { kind: kindOf(mediaType), url: url.href, ...(mediaType !== undefined && { mediaType }) };
}

function kindOf(mediaType = ''): 'image-url' | 'audio-url' | 'video-url' | 'document-url' {
  const [type] = mediaType.split('/');
  return type === 'image' || type === 'audio' || type === 'video' ? `${type}-url` : 'document-url';
}

/** Reads a file by value. Its own media type counts, not the one beside it. */
function readDataUrl(address: string): FileContent {
  const comma = address.indexOf(',');
  const [mediaType = '', ...parameters] = address.slice('data:'.length, comma).split(';');
  const data = address.slice(comma + 1);
  try {
    const decoded = decodeURIComponent(data);
    const bytes = parameters.includes('base64')
      ? Uint8Array.from(atob(decoded), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(decoded);
    if (comma !== -1) return binaryContent(bytes, mediaType || 'text/plain');
  } catch {
    // The error below covers every way in which the address is invalid.
  }
  throw new ChatProblem(400, 'A file has an invalid `data:` address.');
}
