import { isPlainObject, defineOwn } from '../../internal/json.ts';
import type { RequestUsage } from '../../messages/message.ts';
import { decimal } from './wire/decimal.ts';
import { freeJson } from './wire/free-json.ts';
import { defaulted, named, nullable, objectOf, recordOf } from './wire/object.ts';
import { integer, type Wire } from './wire/wire.ts';

const count = defaulted(integer, 0);

const known = objectOf<RequestUsage>({
  inputTokens: count,
  cacheWriteTokens: count,
  cacheReadTokens: count,
  outputTokens: count,
  inputAudioTokens: count,
  cacheAudioReadTokens: count,
  outputAudioTokens: count,
  details: { ...defaulted(recordOf(integer), {}), nullable: true },
  cost: nullable(decimal),
});

/** As older documents have it; there, what was not counted is null. */
const legacy = objectOf<Pick<RequestUsage, 'inputTokens' | 'outputTokens'>>({
  inputTokens: named(nullable(integer), 'request_tokens'),
  outputTokens: named(nullable(integer), 'response_tokens'),
});

/** Members of the format that are read above, and those that the reference drops. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  'input_tokens',
  'cache_write_tokens',
  'cache_read_tokens',
  'output_tokens',
  'input_audio_tokens',
  'cache_audio_read_tokens',
  'output_audio_tokens',
  'details',
  'cost',
  'request_tokens',
  'response_tokens',
  'requests',
  'total_tokens',
]);

const OURS: ReadonlySet<string> = new Set([
  'inputTokens',
  'cacheWriteTokens',
  'cacheReadTokens',
  'outputTokens',
  'inputAudioTokens',
  'cacheAudioReadTokens',
  'outputAudioTokens',
  'details',
  'cost',
]);

/** What one request cost. Members that nobody knows are kept under their names, as in the reference. */
export const usage: Wire<RequestUsage> = {
  load(value, trail) {
    const counted = known.load(value, trail);
    // It is an object, or the line above would not have been passed.
    const members = isPlainObject(value) ? value : {};
    const loaded: Record<string, unknown> = { ...legacy.load(value, trail), ...counted };
    for (const name of Object.keys(members)) {
      if (NOT_KEPT.has(name) || OURS.has(name)) continue;
      trail.enter(name);
      defineOwn(loaded, name, freeJson.load(members[name], trail));
      trail.leave();
    }
    return Object.freeze(loaded);
  },
  dump(value, trail) {
    const dumped = known.dump(value, trail) as Record<string, unknown>;
    for (const [name, member] of Object.entries(value)) {
      if (!OURS.has(name) && !NOT_KEPT.has(name)) defineOwn(dumped, name, member);
    }
    return dumped;
  },
};
