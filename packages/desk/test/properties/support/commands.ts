import type { GrantScope } from '@holdpoint/desk';
import * as fc from 'fast-check';
import { PAYEES, PEOPLE } from './rules.ts';

/** What somebody says to a hold. */
export interface VoteCommand {
  readonly person: number;
  readonly spelling: number;
  /** Whether they say which roles they have. */
  readonly saysRoles: boolean;
  /** Which of the open holds. */
  readonly hold: number;
  readonly says: 'approve' | 'edit' | 'deny' | 'remember';
  readonly euros: number;
  /** Whether they have looked at it before something changed. */
  readonly isStale: boolean;
  readonly match: 'tool' | 'same-arguments' | 'payee';
  readonly scope: GrantScope;
  readonly expiresAfter: number | undefined;
  readonly uses: number | undefined;
}

/** Something that happens at the desk. */
export type Command =
  | {
      readonly kind: 'start';
      readonly to: string;
      readonly requester: number | undefined;
      /** Goes on with the conversation of an earlier run, if that is over. */
      readonly after: number | undefined;
      /** Whether somebody works on it at once. */
      readonly isWorkedOn: boolean;
    }
  /** Several runs of one kind, worked on at once. */
  | {
      readonly kind: 'rush';
      readonly to: string;
      readonly requester: number;
      readonly runs: number;
    }
  | { readonly kind: 'votes'; readonly votes: readonly VoteCommand[] }
  | {
      readonly kind: 'message';
      readonly run: number;
      readonly by: number | undefined;
      readonly to: string;
    }
  | { readonly kind: 'work'; readonly workers: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'revoke'; readonly grant: number }
  | { readonly kind: 'cancel'; readonly run: number }
  | { readonly kind: 'policy'; readonly policy: number }
  | { readonly kind: 'tool'; readonly version: number };

const person = fc.nat({ max: PEOPLE.length - 1 });
const maybePerson = fc.option(person, { nil: undefined, freq: 5 });
// Most go to the first one, so that grants meet calls that they are for.
const payee = fc.constantFrom(...PAYEES, 'a', 'a');

const vote: fc.Arbitrary<VoteCommand> = fc.record({
  person,
  spelling: fc.nat({ max: 2 }),
  saysRoles: fc.nat({ max: 4 }).map((one) => one > 0),
  hold: fc.nat({ max: 1 }),
  says: fc.oneof(
    { weight: 6, arbitrary: fc.constant('approve' as const) },
    { weight: 2, arbitrary: fc.constant('edit' as const) },
    { weight: 1, arbitrary: fc.constant('deny' as const) },
    { weight: 3, arbitrary: fc.constant('remember' as const) },
  ),
  euros: fc.integer({ min: 1, max: 2 }),
  isStale: fc.nat({ max: 5 }).map((one) => one === 0),
  match: fc.constantFrom('tool' as const, 'same-arguments' as const, 'payee' as const),
  scope: fc.constantFrom<GrantScope>('conversation', 'requester', 'agent', 'tenant', 'tenant'),
  expiresAfter: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined, freq: 3 }),
  uses: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 3 }),
});

const anything: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({
        kind: fc.constant('start' as const),
        to: payee,
        requester: maybePerson,
        after: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
        isWorkedOn: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('rush' as const),
        to: payee,
        requester: person,
        runs: fc.integer({ min: 2, max: 4 }),
      }),
    },
    {
      weight: 14,
      arbitrary: fc.record({
        kind: fc.constant('votes' as const),
        votes: fc.array(vote, { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('work' as const),
        workers: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        ms: fc.integer({ min: 1, max: 2_000 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('message' as const),
        run: fc.nat({ max: 5 }),
        by: maybePerson,
        to: payee,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('revoke' as const), grant: fc.nat({ max: 3 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('cancel' as const), run: fc.nat({ max: 5 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('policy' as const),
        policy: fc.constantFrom(0, 1),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('tool' as const),
        version: fc.constantFrom(0, 1),
      }),
    },
  ),
  { minLength: 20, maxLength: 60, size: 'max' },
);

/** Somebody wants a payment to be remembered, for some time or some uses. */
const firstGrant: fc.Arbitrary<readonly Command[]> = vote.map((one) => [
  { kind: 'start', to: 'a', requester: 0, after: undefined, isWorkedOn: true },
  {
    kind: 'votes',
    votes: [{ ...one, says: 'remember', hold: 0, saysRoles: true, isStale: false }],
  },
]);

/** What happens, with a grant in the beginning. */
export const commands: fc.Arbitrary<readonly Command[]> = fc
  .tuple(firstGrant, anything)
  .map((parts) => parts.flat());
