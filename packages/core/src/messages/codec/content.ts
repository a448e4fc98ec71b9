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
import { optional, optionalOrNull } from './field.ts';
import { type Format, oneOf, same, stringFormat, stringOr, stringOrListOf } from './format.ts';
import { jsonFormat, jsonObjectFormat } from './json-format.ts';
import { variantOf } from './object-format.ts';
import { unionOf } from './union-format.ts';

/** Stores the information that a provider fetches a file by its URL itself. */
export const forceDownloadFormat: Format<boolean | 'allow-local'> = same((value, path) =>
  typeof value === 'boolean' || value === 'allow-local'
    ? value
    : path.mismatchedText('true, false or "allow-local"', value),
);

const base64Format = same((value, path) => {
  if (typeof value !== 'string') return path.mismatch('bytes as base64', value);
  return isBase64(value) ? value : path.fail('Expected bytes as base64, found other text.');
});

const fileFields = {
  identifier: optional(stringFormat),
  vendorMetadata: optional(jsonObjectFormat),
};

const urlFields = {
  url: stringFormat,
  mediaType: optional(stringFormat),
  forceDownload: optional(forceDownloadFormat),
  ...fileFields,
};

/** A file by value. */
export const binaryContentFormat: Format<BinaryContent> = variantOf<BinaryContent>('binary', {
  data: base64Format,
  mediaType: stringFormat,
  ...fileFields,
});

/** An item of a user prompt. */
export const userContentFormat: Format<UserContent> = stringOr(
  unionOf<Exclude<UserContent, string>>({
    'text-content': variantOf<TextContent>('text-content', {
      content: stringFormat,
      metadata: optionalOrNull(jsonFormat),
    }),
    'image-url': variantOf<ImageUrl>('image-url', urlFields),
    'audio-url': variantOf<AudioUrl>('audio-url', urlFields),
    'video-url': variantOf<VideoUrl>('video-url', urlFields),
    'document-url': variantOf<DocumentUrl>('document-url', urlFields),
    binary: binaryContentFormat,
    'uploaded-file': variantOf<UploadedFile>('uploaded-file', {
      fileId: stringFormat,
      providerName: stringFormat,
      mediaType: optional(stringFormat),
      ...fileFields,
    }),
    'cache-point': variantOf<CachePoint>('cache-point', { ttl: optional(oneOf('5m', '1h')) }),
  }),
);

/** The prompt of a user. */
export const userPromptFormat: Format<UserPrompt> = stringOrListOf(
  userContentFormat,
  'a string or an array',
);

/** Accepts both alphabets of base64, with or without padding. */
function isBase64(text: string): boolean {
  // Searches for invalid characters: a pattern for the whole text is slow on large files.
  if (/[^\w+/=-]|=(?!=?$)/.test(text)) return false;
  return text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1;
}
