import { InvalidJsonError } from '../../errors/user-errors.ts';
import { JsonPath } from './json-path.ts';

/**
 * Converts values to JSON and back.
 *
 * Both directions validate. A document that comes from outside is not trusted: the first problem is
 * thrown as an `InvalidJsonError` with its path. The methods do not use `this`, so they can be passed on.
 */
export interface Codec<Value, Document, Version extends number | undefined = undefined> {
  /** The version of the document's format; `undefined` if the format has no versions. */
  readonly version: Version;
  /** Reads JSON text. */
  parse(text: string): Value;
  /** Writes JSON text. */
  stringify(value: Value): string;
  /** Reads a document that was parsed before. The document is neither kept nor changed. */
  fromJSON(document: unknown): Value;
  /** Returns the document for a value, frozen. Throws if the document could not be read again. */
  toJSON(value: Value): Document;
}

/** The parts of a codec. */
export interface CodecOptions<Value, Document, Version extends number | undefined> {
  readonly version: Version;
  readonly read: (document: unknown) => Value;
  readonly write: (value: Value) => Document;
  /** Parses JSON text; `JSON.parse` by default. */
  readonly parseText?: (text: string) => unknown;
  /** Writes JSON text; `JSON.stringify` by default. */
  readonly writeText?: (document: Document) => string;
}

/** Creates a codec from a function per direction. */
export function createCodec<Value, Document, Version extends number | undefined>({
  version,
  read,
  write,
  parseText = (text) => parseJson(text),
  writeText = (document) => JSON.stringify(document),
}: CodecOptions<Value, Document, Version>): Codec<Value, Document, Version> {
  return Object.freeze({
    version,
    parse: (text: string) => read(parseText(text)),
    stringify: (value: Value) => writeText(write(value)),
    fromJSON(document: unknown) {
      if (typeof document === 'string') {
        JsonPath.root.fail(
          'Expected a parsed document, found a string. Call `parse` to read JSON text.',
        );
      }
      return read(document);
    },
    toJSON: write,
  });
}

/** Parses JSON text; `reviver` is that of `JSON.parse`. */
export function parseJson(
  text: string,
  reviver?: (key: string, value: unknown) => unknown,
): unknown {
  if (typeof text !== 'string') return JsonPath.root.mismatch('JSON text', text);
  try {
    return reviver === undefined ? JSON.parse(text) : JSON.parse(text, reviver);
  } catch (error) {
    if (error instanceof InvalidJsonError) throw error;
    return JsonPath.root.fail(
      'Expected JSON, found a text that does not parse; it may be cut off.',
    );
  }
}
