import { UserError } from '../../errors/user-errors.ts';
import type { JsonValue } from '../../internal/json.ts';
import { type FileContent, isFileContent } from '../../messages/content.ts';
import type { ToolReturnPart } from '../../messages/request-part.ts';
import {
  type FileItem,
  providerOptionsOf,
  type ToolOutput,
  type ToolOutputItem,
} from './prompt.ts';

/** The format of files in one version of the specification. */
export interface FileFormat {
  /** Converts a file in a user or assistant message. */
  item(file: FileContent): FileItem;
  /** Converts a file in a tool result. */
  toolOutput(file: FileContent): ToolOutputItem;
}

/** Specification v3: plain data, and a separate type for each kind of file in tool results. */
export const v3Files: FileFormat = {
  item(file) {
    const { source, fields } = describeFile(file);
    switch (source.type) {
      case 'data':
        return { type: 'file', data: source.data, ...fields };
      case 'url':
        return { type: 'file', data: source.url, ...fields };
      case 'reference':
        return { type: 'file', data: source.id, ...fields };
    }
  },
  toolOutput(file) {
    const { source, fields } = describeFile(file);
    const isImage = fields.mediaType.startsWith('image/');
    switch (source.type) {
      case 'data':
        return { type: isImage ? 'image-data' : 'file-data', data: source.data, ...fields };
      case 'url':
        return { type: isImage ? 'image-url' : 'file-url', url: source.url.href };
      case 'reference': {
        const fileId = { [source.provider]: source.id };
        return { type: isImage ? 'image-file-id' : 'file-id', fileId };
      }
    }
  },
};

/** Specification v4: tagged data in all messages. */
export const v4Files: FileFormat = {
  item(file) {
    const { source, fields } = describeFile(file);
    if (source.type !== 'reference') return { type: 'file', data: source, ...fields };
    const reference = { [source.provider]: source.id };
    return { type: 'file', data: { type: 'reference', reference }, ...fields };
  },
  toolOutput(file) {
    return v4Files.item(file);
  },
};

type Source =
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'url'; readonly url: URL }
  | { readonly type: 'reference'; readonly provider: string; readonly id: string };

interface FileDescription {
  readonly source: Source;
  readonly fields: Omit<FileItem, 'type' | 'data'>;
}

function describeFile(file: FileContent): FileDescription {
  const { source, mediaType } = locate(file);
  const filename = file.identifier === undefined ? {} : { filename: file.identifier };
  return { source, fields: { mediaType, ...filename, ...providerOptionsOf(file.vendorMetadata) } };
}

function locate(file: FileContent): { source: Source; mediaType: string } {
  if (file.kind === 'binary') {
    return { source: { type: 'data', data: plainBase64(file.data) }, mediaType: file.mediaType };
  }
  if (file.kind === 'uploaded-file') {
    const source: Source = { type: 'reference', provider: file.providerName, id: file.fileId };
    return { source, mediaType: file.mediaType ?? 'application/octet-stream' };
  }
  const inline = /^data:([^;,]+);base64,/i.exec(file.url);
  if (inline?.[1] !== undefined) {
    const data = plainBase64(file.url.slice(inline[0].length));
    return { source: { type: 'data', data }, mediaType: file.mediaType ?? inline[1] };
  }
  const url = parseUrl(file.url);
  const mediaType = file.mediaType ?? mediaTypeFromPath(url.pathname, file.kind);
  return { source: { type: 'url', url }, mediaType };
}

/** Converts base64url, which Pydantic AI stores, to base64. */
function plainBase64(data: string): string {
  return data.replaceAll('-', '+').replaceAll('_', '/');
}

function parseUrl(address: string): URL {
  try {
    return new URL(address);
  } catch (cause) {
    throw new UserError(
      `The address \`${address}\` of a file in the messages is not a URL. Pass an absolute URL, such as ` +
        '`https://example.com/file.pdf`, or use `binaryContent()` for the bytes.',
      { cause },
    );
  }
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

const FALLBACK_MEDIA_TYPES = {
  'image-url': 'image/*',
  'audio-url': 'audio/*',
  'video-url': 'video/*',
  'document-url': 'application/pdf',
} as const;

function mediaTypeFromPath(path: string, kind: keyof typeof FALLBACK_MEDIA_TYPES): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(MEDIA_TYPES, extension)
    ? (MEDIA_TYPES[extension] ?? FALLBACK_MEDIA_TYPES[kind])
    : FALLBACK_MEDIA_TYPES[kind];
}

/** Converts the result of a tool call. */
export function toToolOutput(part: ToolReturnPart, files: FileFormat): ToolOutput {
  const { content } = part;
  switch (part.outcome) {
    case 'denied':
      return { type: 'execution-denied', reason: asText(content) };
    case 'interrupted':
    case 'expired':
    case 'superseded':
      return { type: 'error-text', value: asText(content) };
    case 'failed':
      return typeof content === 'string'
        ? { type: 'error-text', value: content }
        : { type: 'error-json', value: content };
    case 'success':
      if (typeof content === 'string') return { type: 'text', value: content };
      if (holdsFile(content)) return { type: 'content', value: toItems(content, files) };
      return { type: 'json', value: content };
  }
}

function asText(content: JsonValue): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function holdsFile(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isFileContent(value) || Object.values(value).some(holdsFile);
}

/** Returns texts and files in order. Files inside objects follow their object. */
function toItems(content: JsonValue, files: FileFormat): ToolOutputItem[] {
  if (isFileContent(content)) return [files.toolOutput(content)];
  if (Array.isArray(content)) {
    // `Array.isArray` widens readonly arrays to `any[]`.
    return (content as readonly JsonValue[]).flatMap((item) => toItems(item, files));
  }
  const found: FileContent[] = [];
  const text = asText(extractFiles(content, found));
  return [{ type: 'text', text }, ...found.map((file) => files.toolOutput(file))];
}

/** Copies a value and replaces each file with a reference. Adds the files to `found`. */
function extractFiles(value: JsonValue, found: FileContent[]): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isFileContent(value)) {
    found.push(value);
    return value.identifier === undefined ? `see file ${found.length}` : `see ${value.identifier}`;
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => extractFiles(item, found));
  }
  const members = Object.entries(value).map(([key, member]) => [key, extractFiles(member, found)]);
  return Object.fromEntries(members) as JsonValue; // a copy of JSON
}
