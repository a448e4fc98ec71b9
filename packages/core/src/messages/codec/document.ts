import { isPlainObject } from '../../internal/json.ts';
import { quote, type Trail } from './trail.ts';

/** What a stored document says about itself. */
export interface DocumentHeader<Name extends string = string> {
  /** What the document holds. */
  readonly holdpoint: Name;
  /** The version of its format. */
  readonly version: number;
}

/** The value behind `input`: the parsed JSON if it is text, else the value as it is. */
export function parseDocument(input: unknown, trail: Trail): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch {
    return trail.fail('Expected JSON, found a text that does not parse; it may be cut off.');
  }
}

/** Checks that `document` is of the kind and version of `header`, and gives its members. */
export function openDocument(
  document: unknown,
  header: DocumentHeader,
  trail: Trail,
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(document)) return trail.mismatch('an object', document);
  const { holdpoint: name, version } = document;
  if (name !== header.holdpoint) failForName(header, name, trail);
  if (version !== header.version) failForVersion(header, version, trail);
  return document;
}

function failForName(header: DocumentHeader, name: unknown, trail: Trail): never {
  trail.enter('holdpoint');
  return trail.mismatchedText(quote(header.holdpoint), name);
}

function failForVersion(header: DocumentHeader, version: unknown, trail: Trail): never {
  trail.enter('version');
  if (typeof version === 'number' && version > header.version) {
    return trail.fail(
      `Expected version ${header.version}, found ${version}: ` +
        'a newer Holdpoint wrote this document; update Holdpoint to read it.',
    );
  }
  return trail.mismatchedText(`version ${header.version}`, version);
}
