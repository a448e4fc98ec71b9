import { isPlainObject } from '../../internal/json.ts';
import {
  binaryContent,
  type FileContent,
  type UserContent,
  type UserPrompt,
} from '../../messages/content.ts';

/** A request that the handler rejects. Its message is for the user: it contains no data of the server. */
export class ChatProblem extends Error {
  override name = 'ChatProblem';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Returns the response. `useChat` shows its text as the error. */
  toResponse(): Response {
    return new Response(this.message, {
      status: this.status,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  }
}

/** Returns the response of a handler. It never throws: the client receives an error without data of the server. */
export async function respondSafely(
  respond: () => Promise<Response>,
  onError: ((error: unknown) => void) | undefined,
): Promise<Response> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof ChatProblem) return error.toResponse();
    onError?.(error);
    return new ChatProblem(500, 'The request failed.').toResponse();
  }
}

/** The default for the maximum size of a request. */
export const DEFAULT_MAX_BODY_BYTES = 4_000_000;

/** Reads the JSON object in the body of a request, and stops when it exceeds the limit. */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  const [mediaType] = (request.headers.get('content-type') ?? '').split(';');
  // Pages of other sites can send other types without a preflight request.
  if (mediaType?.trim().toLowerCase() !== 'application/json') {
    throw new ChatProblem(415, 'Send the messages as `application/json`.');
  }
  const text = await readText(request, maxBytes);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ChatProblem(400, 'The body is not valid JSON.');
  }
  if (!isPlainObject(body)) throw new ChatProblem(400, 'The body is not a JSON object.');
  return body;
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = new ChatProblem(413, `The request is larger than ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge;
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw tooLarge;
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}

const MAX_CLIENT_ID_LENGTH = 200;

/** Validates an id that a client sent. */
export function readId(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_CLIENT_ID_LENGTH) return id;
  throw new ChatProblem(400, `Ids must be texts of 1 to ${MAX_CLIENT_ID_LENGTH} characters.`);
}

/** Returns the id in a segment of an address. */
export function idInPath(segment = ''): string {
  try {
    return readId(decodeURIComponent(segment));
  } catch (error) {
    if (error instanceof ChatProblem) throw error;
    throw new ChatProblem(400, 'The address is not valid.');
  }
}

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
