import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FileContent, UserContent } from '../content.ts';
import type { Message } from '../message.ts';
import type { RequestPart } from '../request-part.ts';
import type { ResponsePart } from '../response-part.ts';
import { messageCodec } from './index.ts';

type Kind = (
  | Message
  | RequestPart
  | ResponsePart
  | FileContent
  | Exclude<UserContent, string>
)['kind'];

const EVERY_KIND: Readonly<Record<Kind, true>> = {
  request: true,
  response: true,
  'system-prompt': true,
  'user-prompt': true,
  'tool-return': true,
  'retry-prompt': true,
  'tool-availability-delta': true,
  text: true,
  thinking: true,
  'tool-call': true,
  'native-tool-call': true,
  'native-tool-return': true,
  file: true,
  compaction: true,
  speech: true,
  'text-content': true,
  'image-url': true,
  'audio-url': true,
  'video-url': true,
  'document-url': true,
  binary: true,
  'uploaded-file': true,
  'cache-point': true,
};

describe('the stored document of version 1', () => {
  const file = new URL('../../../test/fixtures/messages-v1.json', import.meta.url);
  const text = readFileSync(file, 'utf8');

  it('has every kind of message, part and content', () => {
    const kinds = new Set(kindsIn(JSON.parse(text).messages));

    expect([...kinds].toSorted()).toEqual(expect.arrayContaining(Object.keys(EVERY_KIND)));
  });

  it('loads and dumps to the same document', () => {
    const messages = messageCodec.parse(text);

    expect(messageCodec.toJSON(messages)).toEqual(JSON.parse(text));
    expect(messageCodec.stringify(messages)).toBe(JSON.stringify(JSON.parse(text)));
  });
});

function kindsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(kindsIn);
  return 'kind' in value ? [value.kind, ...inside] : inside;
}
