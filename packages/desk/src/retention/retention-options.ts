import { UserError } from 'holdpoint';
import { checkOptions, type KeysOf, shownValue } from '../model/check-keys.ts';

/**
 * Ages after which the desk deletes data, in milliseconds. Data of a kind without an age is kept.
 *
 * Pending data is not deleted at any age. It includes live runs, open or not consumed holds, calls
 * in doubt, undelivered events, and messages of a conversation with a live run.
 */
export interface RetentionOptions {
  /**
   * The messages of a conversation with their ledger entries, after the last run of the conversation ended. The
   * age of `runs` unless given.
   */
  readonly messages?: number | undefined;
  /** The holds of a run with their decisions, after the run ended. The age of `runs` unless given. */
  readonly holds?: number | undefined;
  /**
   * The content of runs, after the last run of the conversation ended: prompt, output, requester and idempotency
   * keys. The audit stays, with ids, states and times of the run.
   */
  readonly runs?: number | undefined;
  /** The audit of a run, with the rest of the run. It needs `runs` and `events`. */
  readonly audit?: number | undefined;
  /** Events, with their deliveries. */
  readonly events?: number | undefined;
  /** Records of delivered webhooks. */
  readonly deliveries?: number | undefined;
  /** Dead letters of notifications and webhooks. */
  readonly deadLetters?: number | undefined;
  /** Sessions and links, after they expired. */
  readonly tokens?: number | undefined;
}

const KEYS: KeysOf<RetentionOptions> = {
  messages: true,
  holds: true,
  runs: true,
  audit: true,
  events: true,
  deliveries: true,
  deadLetters: true,
  tokens: true,
};

/** Pairs of kinds of which the first may not be kept for longer than the second. */
const ORDER: readonly (readonly [keyof RetentionOptions, keyof RetentionOptions])[] = [
  ['messages', 'runs'],
  ['holds', 'runs'],
  ['runs', 'audit'],
  ['events', 'audit'],
  ['deliveries', 'events'],
];

/** Validates a retention policy. */
export function checkRetention(options: RetentionOptions | undefined): RetentionOptions {
  if (options === undefined) return {};
  checkOptions<RetentionOptions>('`retention`', options, KEYS);
  for (const [kind, age] of Object.entries(options)) {
    if (age === undefined || (Number.isSafeInteger(age) && age > 0)) continue;
    throw new UserError(
      `\`retention.${kind}\` is ${shownValue(age)}. Pass a whole number of milliseconds above 0.`,
    );
  }
  for (const needed of ['runs', 'events'] as const) {
    if (options.audit === undefined || options[needed] !== undefined) continue;
    throw new UserError(
      `\`retention.audit\` is set without \`retention.${needed}\`, so no audit could be deleted. Set both.`,
    );
  }
  for (const [first, second] of ORDER) {
    const [age, max] = [options[first], options[second]];
    if (age === undefined || max === undefined || age <= max) continue;
    throw new UserError(
      `\`retention.${first}\` is ${age}, which is longer than \`retention.${second}\` (${max}). Data of the first ` +
        `kind is deleted with the second. Set \`${first}\` to at most ${max}.`,
    );
  }
  return options;
}
