import type { ApproverRule } from '@holdpoint/desk';
import * as fc from 'fast-check';
import { PEOPLE, personAt } from './cast.ts';

const MINUTE = 60_000;

/** An attempt of a person to decide the open hold. */
export interface DecideAction {
  readonly kind: 'decide';
  readonly person: number;
  /** The person on whose behalf they try it; `undefined` for themselves. */
  readonly onBehalfOf: number | undefined;
  /** The index of a delegation, if it exists. Its delegate then decides. */
  readonly delegation: number | undefined;
  readonly decision: 'approve' | 'edit' | 'deny' | 'retry';
}

export type Action =
  | DecideAction
  | { readonly kind: 'advance'; readonly ms: number }
  /** Performs due timers and resumes runs. */
  | { readonly kind: 'drain' }
  | {
      readonly kind: 'delegate';
      readonly from: number;
      readonly to: number;
      readonly ms: number;
    }
  | { readonly kind: 'revoke'; readonly index: number }
  /** A person loses or regains their roles in the directory. */
  | { readonly kind: 'roles'; readonly person: number; readonly has: boolean }
  /** The application is deployed with another version of its rules. */
  | { readonly kind: 'deploy'; readonly version: 0 | 1 };

/** A story about one call: its rules in two versions, its requester, and what people do. */
export interface Story {
  readonly rules: readonly [ApproverRule, ApproverRule];
  readonly requester: number;
  /** True if the desk can look up the roles that people have now. */
  readonly hasDirectory: boolean;
  readonly actions: readonly Action[];
}

const person = fc.integer({ min: 0, max: PEOPLE - 1 });
const names = fc.oneof(
  fc.record({ roles: fc.constantFrom(['lead'], ['manager'], ['lead', 'director']) }),
  fc.record({ people: person.map((index) => [personAt(index).id]) }),
  fc.record({
    roles: fc.constantFrom(['lead'], ['manager']),
    people: person.map((index) => [personAt(index).id]),
  }),
);
const step = fc.record({ afterMs: fc.constantFrom(10 * MINUTE, 30 * MINUTE), also: names });
const rule: fc.Arbitrary<ApproverRule> = fc
  .tuple(
    names,
    fc.constantFrom(1, 1, 2, 2, 3),
    fc.boolean(),
    fc.option(fc.array(step, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    fc.boolean(),
  )
  .map(([named, count, notRequester, escalate, reminds]) => ({
    ...named,
    count,
    notRequester,
    ...(escalate && { escalate }),
    ...(reminds && { remindAfterMs: [5 * MINUTE] }),
  }));

const decide: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('decide' as const),
  person,
  onBehalfOf: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: person },
  ),
  delegation: fc.oneof(fc.constant(undefined), fc.nat({ max: 3 })),
  decision: fc.oneof(
    { weight: 14, arbitrary: fc.constant('approve' as const) },
    { weight: 3, arbitrary: fc.constant('edit' as const) },
    { weight: 1, arbitrary: fc.constant('deny' as const) },
    { weight: 1, arbitrary: fc.constant('retry' as const) },
  ),
});
const delegate: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('delegate' as const),
  from: person,
  to: person,
  ms: fc.constantFrom(10 * MINUTE, 60 * MINUTE, 120 * MINUTE),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 14, arbitrary: decide },
  { weight: 4, arbitrary: delegate },
  {
    weight: 3,
    arbitrary: fc.constantFrom(5, 10, 30).map((count) => ({
      kind: 'advance' as const,
      ms: count * MINUTE,
    })),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'drain' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('revoke' as const), index: fc.nat({ max: 2 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('roles' as const),
      person,
      has: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deploy' as const),
      version: fc.constantFrom(0 as const, 1 as const),
    }),
  },
);

export const peopleStories: fc.Arbitrary<Story> = fc.record({
  rules: fc.tuple(rule, rule),
  requester: person,
  hasDirectory: fc.boolean(),
  actions: fc
    .tuple(
      fc.array(delegate, { maxLength: 3 }),
      fc.array(action, { minLength: 6, maxLength: 20, size: 'max' }),
    )
    .map(([delegations, others]) => [...delegations, ...others]),
});
