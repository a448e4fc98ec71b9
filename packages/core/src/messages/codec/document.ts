import { isPlainObject } from '../../internal/json.ts';
import { type JsonPath, quote } from './json-path.ts';

/** The members that identify a stored document. */
export interface DocumentHeader<Name extends string = string> {
  /** The name of the document's format. */
  readonly holdpoint: Name;
  /** The version of the document's format. */
  readonly version: number;
}

/** Validates that a document has the format and version of `header`, and returns its members. */
export function openDocument(
  document: unknown,
  header: DocumentHeader,
  path: JsonPath,
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(document)) return path.mismatch('an object', document);
  const { holdpoint: name, version } = document;
  if (name !== header.holdpoint) path.at('holdpoint').mismatchedText(quote(header.holdpoint), name);
  if (version !== header.version) failForVersion(header, version, path.at('version'));
  return document;
}

function failForVersion(header: DocumentHeader, version: unknown, path: JsonPath): never {
  if (typeof version === 'number' && version > header.version) {
    return path.fail(
      `Expected version ${header.version}, found ${version}: ` +
        'a newer Holdpoint wrote this document; update Holdpoint to read it.',
    );
  }
  return path.mismatchedText(`version ${header.version}`, version);
}
