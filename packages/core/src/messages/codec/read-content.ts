import type {
  AudioUrl,
  BinaryContent,
  CachePoint,
  DocumentUrl,
  ImageUrl,
  TextContent,
  UploadedFile,
  UserContent,
  UserPrompt,
  VideoUrl,
} from '../content.ts';
import { byKind, listOf, oneOf, type Read, readString, stringOr } from './read.ts';
import { readJson, readJsonObject } from './read-json.ts';
import { ofKind, optional, optionalOrNull } from './read-object.ts';
import type { Trail } from './trail.ts';

const fileFields = {
  identifier: optional(readString),
  vendorMetadata: optional(readJsonObject),
};

const urlFields = {
  url: readString,
  mediaType: optional(readString),
  forceDownload: optional(readForceDownload),
  ...fileFields,
};

/** Reads a file by value. */
export const readBinaryContent: Read<BinaryContent> = ofKind<BinaryContent>('binary', {
  data: readBase64,
  mediaType: readString,
  ...fileFields,
});

const readContentObject = byKind<Exclude<UserContent, string>>({
  'text-content': ofKind<TextContent>('text-content', {
    content: readString,
    metadata: optionalOrNull(readJson),
  }),
  'image-url': ofKind<ImageUrl>('image-url', urlFields),
  'audio-url': ofKind<AudioUrl>('audio-url', urlFields),
  'video-url': ofKind<VideoUrl>('video-url', urlFields),
  'document-url': ofKind<DocumentUrl>('document-url', urlFields),
  binary: readBinaryContent,
  'uploaded-file': ofKind<UploadedFile>('uploaded-file', {
    fileId: readString,
    providerName: readString,
    mediaType: optional(readString),
    ...fileFields,
  }),
  'cache-point': ofKind<CachePoint>('cache-point', {
    ttl: optional(oneOf<NonNullable<CachePoint['ttl']>>({ '5m': true, '1h': true })),
  }),
});

/** Reads one item of a user prompt. */
export function readUserContent(value: unknown, trail: Trail): UserContent {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return readContentObject(value, trail);
  return trail.mismatch('a string or an object', value);
}

const readContentList = listOf(readUserContent);

/** Reads what a person says to the model. */
export const readUserPrompt: Read<UserPrompt> = stringOr((value, trail) =>
  Array.isArray(value)
    ? readContentList(value, trail)
    : trail.mismatch('a string or an array', value),
);

function readForceDownload(value: unknown, trail: Trail): boolean | 'allow-local' {
  if (typeof value === 'boolean' || value === 'allow-local') return value;
  return trail.mismatchedText('true, false or "allow-local"', value);
}

function readBase64(value: unknown, trail: Trail): string {
  if (typeof value !== 'string') return trail.mismatch('bytes as base64', value);
  return isBase64(value) ? value : trail.fail('Expected bytes as base64, found other text.');
}

/** Both alphabets, with or without padding. */
function isBase64(text: string): boolean {
  // Looks for what must not be there: a pattern for the whole text is slow on large files.
  if (/[^\w+/=-]|=(?!=?$)/.test(text)) return false;
  return text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1;
}
