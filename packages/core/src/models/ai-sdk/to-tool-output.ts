import { type FileContent, isFileContent } from '../../messages/content.ts';
import type { JsonValue } from '../../internal/json.ts';
import type { ToolReturnPart } from '../../messages/request-part.ts';
import type { ToolOutput, ToolOutputItem } from './prompt.ts';
import type { FileFormat } from './to-file.ts';

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
