import { forceDownloadFormat, userContentFormat } from '../../messages/codec/content.ts';
import { named, nullable, optionalAs } from '../../messages/codec/field.ts';
import {
  type Format,
  oneOf,
  stringFormat,
  stringOr,
  stringOrListOf,
} from '../../messages/codec/format.ts';
import { JsonPath } from '../../messages/codec/json-path.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
import {
  type AudioUrl,
  type BinaryContent,
  bytesOf,
  type CachePoint,
  type DocumentUrl,
  type FileContent,
  type ImageUrl,
  isFileContent,
  type TextContent,
  type UploadedFile,
  type UserContent,
  type UserPrompt,
  type VideoUrl,
} from '../../messages/content.ts';
import { isPlainObject, type JsonObject, type JsonValue, defineOwn } from '../../internal/json.ts';
import { isYouTube, mediaTypeOfAddress, sha1 } from './derived-members.ts';
import {
  attempt,
  optionalReadingNull,
  pydanticBytesFormat,
  pydanticJsonFormat,
  pydanticJsonObjectFormat,
  variantsBy,
} from './values.ts';

const item = variantsBy('kind');

/** Members that Pydantic AI derives if they are absent, null or empty. */
const derivedFields = {
  mediaType: named(optionalReadingNull(stringFormat), 'media_type', '_media_type'),
  identifier: named(optionalReadingNull(stringFormat), 'identifier', '_identifier'),
};

const pydanticUrlFields = {
  url: stringFormat,
  forceDownload: optionalAs(forceDownloadFormat, false),
  vendorMetadata: nullable(pydanticJsonObjectFormat),
  ...derivedFields,
};

/** A file by value. */
export const binaryFormat: Format<BinaryContent> = withDerivedMembers(
  item<BinaryContent>('binary', {
    data: pydanticBytesFormat,
    mediaType: stringFormat,
    vendorMetadata: nullable(pydanticJsonObjectFormat),
    identifier: optionalReadingNull(stringFormat),
  }),
);

const fileVariants = {
  'image-url': withDerivedMembers(item<ImageUrl>('image-url', pydanticUrlFields)),
  'audio-url': withDerivedMembers(item<AudioUrl>('audio-url', pydanticUrlFields)),
  'video-url': withDerivedMembers(item<VideoUrl>('video-url', pydanticUrlFields)),
  'document-url': withDerivedMembers(item<DocumentUrl>('document-url', pydanticUrlFields)),
  binary: binaryFormat,
  'uploaded-file': withDerivedMembers(
    item<UploadedFile>('uploaded-file', {
      fileId: stringFormat,
      providerName: oneOf<string>(
        'anthropic',
        'openai',
        'google',
        'google-cloud',
        'google-gla',
        'google-vertex',
        'bedrock',
        'xai',
      ),
      vendorMetadata: nullable(pydanticJsonObjectFormat),
      ...derivedFields,
    }),
  ),
};

const fileFormat = unionOf<FileContent>(fileVariants);

/** The prompt of a user. */
export const pydanticUserPromptFormat: Format<UserPrompt> = stringOrListOf<UserContent>(
  stringOr(
    unionOf<Exclude<UserContent, string>>({
      'text-content': item<TextContent>('text-content', {
        content: stringFormat,
        metadata: nullable(pydanticJsonFormat),
      }),
      'cache-point': item<CachePoint>('cache-point', { ttl: optionalAs(oneOf('5m', '1h'), '5m') }),
      ...fileVariants,
    }),
  ),
  'a string or an array',
);

/** Writes the members that Pydantic AI would derive, as it does. */
function withDerivedMembers<T extends FileContent>(format: Format<T>): Format<T> {
  return {
    read: format.read,
    write(file, path) {
      const mediaType = file.mediaType || derivedMediaType(file);
      if (mediaType === undefined) {
        return path
          .at('mediaType')
          .fail(
            'Expected a media type, found nothing, and the URL has no known extension. ' +
              'Pydantic AI cannot store such a file. Set `mediaType`.',
          );
      }
      const identifier = file.identifier || derivedIdentifier(file);
      return format.write({ ...file, mediaType, identifier }, path);
    },
  };
}

function derivedMediaType(file: FileContent): string | undefined {
  switch (file.kind) {
    case 'binary':
      return file.mediaType;
    case 'uploaded-file':
      return mediaTypeOfAddress(file.fileId) ?? 'application/octet-stream';
    case 'video-url':
      return isYouTube(file.url) ? 'video/mp4' : mediaTypeOfAddress(file.url);
    default:
      return mediaTypeOfAddress(file.url);
  }
}

const IDENTIFIER_LENGTH = 6;

function derivedIdentifier(file: FileContent): string {
  if (file.kind === 'binary') return sha1(bytesOf(file)).slice(0, IDENTIFIER_LENGTH);
  const name = file.kind === 'uploaded-file' ? file.fileId : file.url;
  return sha1(new TextEncoder().encode(name)).slice(0, IDENTIFIER_LENGTH);
}

/**
 * The value that a tool returned: any JSON, with files at any depth.
 *
 * An object that only resembles a file is unchanged in both directions.
 */
export const toolContentFormat: Format<JsonValue> = {
  read: (value, path) => replaceObjects(pydanticJsonFormat.read(value, path), path, readFile),
  write: (value, path) => replaceObjects(pydanticJsonFormat.read(value, path), path, writeFile),
};

const FILE_MEMBERS = ['url', 'media_type', 'file_id'];

function readFile(object: JsonObject): JsonObject | undefined {
  if (!Object.hasOwn(fileVariants, String(object['kind']))) return undefined;
  if (!FILE_MEMBERS.some((name) => Object.hasOwn(object, name))) return undefined;
  const file = attempt(() => fileFormat.read(object, JsonPath.root));
  // A file is JSON, although its interface has no index signature.
  return file as unknown as JsonObject | undefined;
}

function writeFile(object: JsonObject, path: JsonPath): JsonObject | undefined {
  // The two types do not overlap, but the values do.
  const value: unknown = object;
  if (!isFileContent(value)) return undefined;
  if (attempt(() => userContentFormat.read(value, JsonPath.root)) === undefined) return undefined;
  const written = fileFormat.write(value, path);
  // An object that Pydantic AI would not read as a file is unchanged.
  if (attempt(() => fileFormat.read(written, JsonPath.root)) === undefined) return undefined;
  return written as JsonObject;
}

/** Copies a value; `replace` returns the objects to use instead of others. */
function replaceObjects(
  value: JsonValue,
  path: JsonPath,
  replace: (object: JsonObject, path: JsonPath) => JsonObject | undefined,
): JsonValue {
  if (Array.isArray(value)) {
    return Object.freeze(
      value.map((member, index) => replaceObjects(member, path.at(index), replace)),
    );
  }
  if (!isPlainObject(value)) return value;
  // A plain object that is JSON.
  const object = value as JsonObject;
  const replaced = replace(object, path);
  if (replaced !== undefined) return replaced;
  const members: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(object)) {
    defineOwn(members, name, replaceObjects(member, path.at(name), replace));
  }
  return Object.freeze(members);
}

/** Returns true if a value contains a file at any depth. */
export function containsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isFileContent(value) || Object.values(value).some(containsFile);
}
