import {
  type AudioUrl,
  type BinaryContent,
  bytesOf,
  type CachePoint,
  type DocumentUrl,
  type FileContent,
  type ImageUrl,
  type TextContent,
  type UploadedFile,
  type UserContent,
  type UserPrompt,
  type VideoUrl,
} from '../../messages/content.ts';
import { base64 } from './wire/base64.ts';
import { freeJson, freeObject } from './wire/free-json.ts';
import { guessMediaType, isYouTube } from './wire/media-type.ts';
import { defaulted, named, nullable, omitted, required } from './wire/object.ts';
import { sha1 } from './wire/sha1.ts';
import { unionOf, type Variant, variantsBy } from './wire/union.ts';
import { listOf, oneOf, same, text, textOr, type Wire } from './wire/wire.ts';

const item = variantsBy('kind');

const forceDownload: Wire<boolean | 'allow-local'> = same((value, trail) =>
  typeof value === 'boolean' || value === 'allow-local'
    ? value
    : trail.mismatchedText('true, false or "allow-local"', value),
);

/** What the reference works out where it is absent, null or empty. */
const workable = { ...omitted(text), nullable: true };

const workedOut = {
  mediaType: named(workable, 'media_type', '_media_type'),
  identifier: named(workable, 'identifier', '_identifier'),
};

const urlFields = {
  url: required(text),
  forceDownload: defaulted(forceDownload, false),
  vendorMetadata: nullable(freeObject),
  ...workedOut,
};

/** A file by value. */
export const binary: Variant<BinaryContent> = completed(
  item<BinaryContent>('binary', {
    data: required(base64),
    mediaType: required(text),
    vendorMetadata: nullable(freeObject),
    identifier: workable,
  }),
);

const fileVariants = {
  'image-url': completed(item<ImageUrl>('image-url', urlFields)),
  'audio-url': completed(item<AudioUrl>('audio-url', urlFields)),
  'video-url': completed(item<VideoUrl>('video-url', urlFields)),
  'document-url': completed(item<DocumentUrl>('document-url', urlFields)),
  binary,
  'uploaded-file': completed(
    item<UploadedFile>('uploaded-file', {
      fileId: required(text),
      providerName: required(
        oneOf<string>(
          'anthropic',
          'openai',
          'google',
          'google-cloud',
          'google-gla',
          'google-vertex',
          'bedrock',
          'xai',
        ),
      ),
      vendorMetadata: nullable(freeObject),
      ...workedOut,
    }),
  ),
};

/** A file, wherever it is. */
export const file: Wire<FileContent> = unionOf<FileContent>('kind', fileVariants);

const contentObject = unionOf<Exclude<UserContent, string>>('kind', {
  'text-content': item<TextContent>('text-content', {
    content: required(text),
    metadata: nullable(freeJson),
  }),
  'cache-point': item<CachePoint>('cache-point', { ttl: defaulted(oneOf('5m', '1h'), '5m') }),
  ...fileVariants,
});

const contentList = listOf<UserContent>(textOr(contentObject, 'a string or an object'));

/** What a person says to the model. */
export const userPrompt: Wire<UserPrompt> = {
  load(value, trail) {
    if (typeof value === 'string') return value;
    return Array.isArray(value)
      ? contentList.load(value, trail)
      : trail.mismatch('a string or an array', value);
  },
  dump: (value, trail) => (typeof value === 'string' ? value : contentList.dump(value, trail)),
};

/** The reference works out what a file does not say about itself, and writes it down; so do we. */
function completed<T extends FileContent>(variant: Variant<T>): Variant<T> {
  return {
    ...variant,
    dump(value, trail) {
      const mediaType = value.mediaType || mediaTypeOf(value);
      if (mediaType === undefined) {
        trail.enter('mediaType');
        return trail.fail(
          'Expected a media type, found nothing, and the address does not show it. ' +
            'Pydantic AI cannot store such a file: give it a mediaType.',
        );
      }
      const identifier = value.identifier || identifierOf(value);
      return variant.dump({ ...value, mediaType, identifier }, trail);
    },
  };
}

function mediaTypeOf(value: FileContent): string | undefined {
  switch (value.kind) {
    case 'binary':
      return value.mediaType;
    case 'uploaded-file':
      return guessMediaType(value.fileId) ?? 'application/octet-stream';
    case 'video-url':
      return isYouTube(value.url) ? 'video/mp4' : guessMediaType(value.url);
    default:
      return guessMediaType(value.url);
  }
}

const IDENTIFIER_LENGTH = 6;

function identifierOf(value: FileContent): string {
  if (value.kind === 'binary') return sha1(bytesOf(value)).slice(0, IDENTIFIER_LENGTH);
  const name = value.kind === 'uploaded-file' ? value.fileId : value.url;
  return sha1(new TextEncoder().encode(name)).slice(0, IDENTIFIER_LENGTH);
}
