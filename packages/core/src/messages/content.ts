import type { JsonObject, JsonValue } from '../internal/json.ts';

/** A prompt of a person: text, or a list of text, media, files and cache points. */
export type UserPrompt = string | readonly UserContent[];

/** One item of a {@link UserPrompt}. */
export type UserContent = string | TextContent | FileContent | CachePoint;

/** A file that a model can read: by address, by value or by the id of an uploaded file. */
export type FileContent =
  | ImageUrl
  | AudioUrl
  | VideoUrl
  | DocumentUrl
  | BinaryContent
  | UploadedFile;

/** Text with metadata that the model does not see. */
export interface TextContent {
  readonly kind: 'text-content';
  readonly content: string;
  readonly metadata?: JsonValue | undefined;
}

/** The fields of a file that the provider loads from a URL. */
export interface FileByUrl {
  readonly url: string;
  /** The media type, such as `image/png`; derived from the address if absent. */
  readonly mediaType?: string | undefined;
  /** A short name with which a tool or a prompt can refer to this file. */
  readonly identifier?: string | undefined;
  /** True if the file is downloaded and sent by value, even if the provider accepts addresses. */
  readonly forceDownload?: boolean | 'allow-local' | undefined;
  readonly vendorMetadata?: JsonObject | undefined;
}

/** An image by its address. */
export interface ImageUrl extends FileByUrl {
  readonly kind: 'image-url';
}

/** A sound by its address. */
export interface AudioUrl extends FileByUrl {
  readonly kind: 'audio-url';
}

/** A video by its address. */
export interface VideoUrl extends FileByUrl {
  readonly kind: 'video-url';
}

/** A document by its address. */
export interface DocumentUrl extends FileByUrl {
  readonly kind: 'document-url';
}

/** A file by value; {@link binaryContent} creates one from bytes. */
export interface BinaryContent {
  readonly kind: 'binary';
  /** The bytes as base64. */
  readonly data: string;
  readonly mediaType: string;
  readonly identifier?: string | undefined;
  readonly vendorMetadata?: JsonObject | undefined;
}

/** A file that was uploaded to a provider. */
export interface UploadedFile {
  readonly kind: 'uploaded-file';
  readonly fileId: string;
  readonly providerName: string;
  readonly mediaType?: string | undefined;
  readonly identifier?: string | undefined;
  readonly vendorMetadata?: JsonObject | undefined;
}

/** The end of a prefix that the provider may cache. */
export interface CachePoint {
  readonly kind: 'cache-point';
  readonly ttl?: '5m' | '1h' | undefined;
}

/** Converts the bytes of a file to content for a prompt or a tool's result. */
export function binaryContent(bytes: Uint8Array, mediaType: string): BinaryContent {
  let text = '';
  // Slices, because a call with one argument for each byte of a file would overflow the stack.
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return Object.freeze({ kind: 'binary', data: btoa(text), mediaType });
}

/** Returns the bytes of a {@link BinaryContent}. */
export function bytesOf(content: BinaryContent): Uint8Array {
  const text = atob(content.data.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const FILE_KINDS: ReadonlySet<unknown> = new Set<FileContent['kind']>([
  'image-url',
  'audio-url',
  'video-url',
  'document-url',
  'binary',
  'uploaded-file',
]);

/** Returns whether a value in a tool's result is a file. */
export function isFileContent(value: unknown): value is FileContent {
  if (typeof value !== 'object' || value === null) return false;
  const item = value as Readonly<Record<string, unknown>>;
  if (!FILE_KINDS.has(item['kind'])) return false;
  if (item['kind'] === 'binary') {
    return typeof item['data'] === 'string' && typeof item['mediaType'] === 'string';
  }
  return typeof item[item['kind'] === 'uploaded-file' ? 'fileId' : 'url'] === 'string';
}
