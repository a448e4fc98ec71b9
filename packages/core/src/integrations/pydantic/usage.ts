import { type Fields, named, nullable, optionalAs } from '../../messages/codec/field.ts';
import { type Format, recordOf } from '../../messages/codec/format.ts';
import { isPlainObject, defineOwn } from '../../internal/json.ts';
import type { RequestUsage } from '../../messages/message.ts';
import { objectOf, snakeCase } from './objects.ts';
import { decimalFormat, integerFormat, jsonFormat } from './values.ts';

const count = optionalAs(integerFormat, 0);

const fields: Fields<RequestUsage> = {
  inputTokens: count,
  cacheWriteTokens: count,
  cacheReadTokens: count,
  outputTokens: count,
  inputAudioTokens: count,
  cacheAudioReadTokens: count,
  outputAudioTokens: count,
  details: { ...optionalAs(recordOf(integerFormat), {}), ifNull: 'missing' },
  cost: nullable(decimalFormat),
};

const knownFormat = objectOf<RequestUsage>(fields);

/** The names of older documents, where null means that the tokens were not counted. */
const legacyFormat = objectOf<Pick<RequestUsage, 'inputTokens' | 'outputTokens'>>({
  inputTokens: named(nullable(integerFormat), 'request_tokens'),
  outputTokens: named(nullable(integerFormat), 'response_tokens'),
});

/** Members that have a field, and members of older documents that Pydantic AI drops. */
const NOT_EXTRA: ReadonlySet<string> = new Set([
  ...Object.keys(fields),
  ...Object.keys(fields).map(snakeCase),
  'request_tokens',
  'response_tokens',
  'requests',
  'total_tokens',
]);

/** The usage of one request. Keeps unknown members under their names, like Pydantic AI. */
export const usageFormat: Format<RequestUsage> = {
  read(value, path) {
    const known = knownFormat.read(value, path);
    const usage: Record<string, unknown> = { ...legacyFormat.read(value, path), ...known };
    for (const [name, member] of extraMembers(value)) {
      defineOwn(usage, name, jsonFormat.read(member, path.at(name)));
    }
    return Object.freeze(usage);
  },
  write(usage, path) {
    const document: Record<string, unknown> = { ...(knownFormat.write(usage, path) as object) };
    for (const [name, member] of extraMembers(usage)) defineOwn(document, name, member);
    return Object.freeze(document);
  },
};

function extraMembers(value: unknown): [name: string, member: unknown][] {
  if (!isPlainObject(value)) return [];
  return Object.entries(value).filter(([name]) => !NOT_EXTRA.has(name));
}
