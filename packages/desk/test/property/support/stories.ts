import type { ApproverRule, GrantScope } from '@holdpoint/desk';
import * as fc from 'fast-check';
import { CAST } from './cast.ts';
import type { PolicySpec } from './policy-spec.ts';
import { type Deployment, SCHEMAS } from './stage.ts';

/** The arguments of a call, or of an edit. */
export interface PayArgs {
  readonly to: string;
  readonly euros?: number;
}

/** The grant that an approver requests with an approval. */
export interface GrantSpec {
  readonly match: 'tool' | 'same-arguments' | 'payee';
  readonly scope: GrantScope;
  readonly expiresAfter: number | undefined;
  readonly uses: number | undefined;
}

/** A decision of a person. Holds are named by their index among the open ones. */
export interface DecideAction {
  readonly kind: 'decide';
  readonly person: number;
  readonly spelling: number;
  readonly sendsRoles: boolean;
  readonly hold: number;
  readonly decision: 'approve' | 'deny' | 'retry' | 'edit' | 'grant';
  /** Set if the person reads the hold before they decide. */
  readonly looks: boolean;
  /** Set if another person decides when this one may not. */
  readonly isFitting: boolean;
  readonly args: PayArgs;
  /** Set if the author of an edit confirms the description of its tool. */
  readonly isDescribed: boolean;
  readonly through: 'desk' | 'bare desk' | 'link';
  readonly grant: GrantSpec;
}

/** The members of rows that a story changes past the desk. */
export const FORGERIES = [
  'vote',
  'requirement',
  'arguments',
  'preview',
  'edit',
  'requester',
  'decision',
  'grant',
  'history',
] as const;

export type Action =
  | {
      readonly kind: 'prompt';
      readonly by: number | undefined;
      readonly conversation: 0 | 1;
      readonly calls: readonly PayArgs[];
      readonly agent: 'payer' | 'lead';
    }
  | { readonly kind: 'look'; readonly person: number; readonly hold: number }
  | DecideAction
  | { readonly kind: 'work'; readonly retries: boolean }
  | { readonly kind: 'crash'; readonly nth: number; readonly side: 'before' | 'after' }
  | { readonly kind: 'revoke'; readonly grant: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'deploy'; readonly deployment: Partial<Deployment> }
  | {
      readonly kind: 'tamper';
      readonly what: (typeof FORGERIES)[number];
      readonly hold: number;
      readonly person: number;
    };

/** A story: the first deployment and the actions after it. */
export interface Story {
  readonly deployment: Deployment;
  readonly actions: readonly Action[];
}

const seldom = (one: number) => fc.nat({ max: one }).map((drawn) => drawn === 0);
const mostly = (one: number) => fc.nat({ max: one }).map((drawn) => drawn > 0);

const person = fc.nat({ max: CAST.length - 1 });
const requester = fc.option(person, { nil: undefined, freq: 15 });
const scope = fc.constantFrom<GrantScope>('conversation', 'requester', 'agent', 'tenant', 'tenant');

const rule: fc.Arbitrary<ApproverRule> = fc
  .record({
    who: fc.constantFrom<Pick<ApproverRule, 'roles' | 'people'>>(
      {},
      {},
      {},
      { roles: ['lead'] },
      { roles: ['cfo'] },
      { people: ['Ada', 'bob'] },
      { roles: ['cfo'], people: ['lin'] },
    ),
    count: fc.constantFrom(1, 1, 2),
    notRequester: seldom(2),
    grants: fc.constantFrom<ApproverRule['grants']>(
      undefined,
      'never',
      'conversation',
      'requester',
      'agent',
      'tenant',
      'tenant',
      'tenant',
    ),
    decisionValidFor: fc.constantFrom(undefined, undefined, 5_000),
  })
  .map(({ who, count, notRequester, grants, decisionValidFor }) => ({
    ...who,
    count,
    notRequester,
    ...(grants !== undefined && { grants }),
    ...(decisionValidFor !== undefined && { decisionValidFor }),
  }));

const policy: fc.Arbitrary<PolicySpec> = fc.record({
  small: rule,
  large: rule,
  barred: fc.option(person, { nil: undefined, freq: 3 }),
  expiresAfter: fc.constantFrom(undefined, undefined, 20_000),
});

const deployment: fc.Arbitrary<Deployment> = fc.record({
  schema: fc.constantFrom(...SCHEMAS),
  hasPreview: fc.boolean(),
  version: fc.constant('1' as const),
  price: fc.constantFrom(1, 300),
  policy,
});

const euros = fc.constantFrom(undefined, undefined, 5, 5, 5, 7, 2_000);
const args: fc.Arbitrary<PayArgs> = fc
  .record({ to: fc.constantFrom('acme', 'acme', 'mallory'), euros })
  .map(({ to, euros: amount }) => ({ to, ...(amount !== undefined && { euros: amount }) }));

const grantRequest: fc.Arbitrary<GrantSpec> = fc.record({
  match: fc.constantFrom('tool' as const, 'same-arguments' as const, 'payee' as const),
  scope,
  expiresAfter: fc.constantFrom(undefined, undefined, 3_000),
  uses: fc.constantFrom(undefined, undefined, 1),
});

/** The relative frequency of the kinds of actions in a story. */
interface Weights {
  readonly prompt: number;
  readonly look: number;
  readonly decide: number;
  readonly work: number;
  readonly crash: number;
  readonly revoke: number;
  readonly wait: number;
  readonly deploy: number;
  readonly tamper: number;
  readonly edit: number;
  readonly grant: number;
  readonly bare: number;
}

const EVEN: Weights = {
  prompt: 2,
  look: 1,
  decide: 10,
  work: 3,
  crash: 1,
  revoke: 0,
  wait: 1,
  deploy: 1,
  tamper: 0,
  edit: 3,
  grant: 1,
  bare: 1,
};

/** A kind of stories. */
export type Theme = 'votes' | 'edits' | 'grants' | 'drift' | 'crashes' | 'forgeries';

/** The kinds of stories, by their frequent actions. */
const THEMES: Readonly<Record<Theme, Weights>> = {
  votes: { ...EVEN, crash: 0, deploy: 0, edit: 1 },
  edits: { ...EVEN, edit: 8, decide: 12, bare: 5 },
  grants: { ...EVEN, prompt: 6, grant: 8, edit: 1, revoke: 1, work: 4, tamper: 1 },
  drift: { ...EVEN, look: 4, deploy: 4, work: 4, edit: 4, bare: 4 },
  crashes: { ...EVEN, crash: 3, wait: 4 },
  forgeries: { ...EVEN, tamper: 4, grant: 2 },
};

function decide({ edit, grant: wish, bare }: Weights): fc.Arbitrary<DecideAction> {
  return fc.record({
    kind: fc.constant('decide' as const),
    person,
    spelling: fc.nat({ max: 2 }),
    sendsRoles: mostly(9),
    hold: fc.constantFrom(0, 0, 0, 0, 1),
    decision: fc.oneof(
      { weight: 10, arbitrary: fc.constant('approve' as const) },
      { weight: edit, arbitrary: fc.constant('edit' as const) },
      { weight: 1, arbitrary: fc.constant('deny' as const) },
      { weight: 1, arbitrary: fc.constant('retry' as const) },
      { weight: wish, arbitrary: fc.constant('grant' as const) },
    ),
    looks: mostly(2),
    isFitting: mostly(4),
    args,
    isDescribed: mostly(2),
    through: fc.oneof(
      { weight: 12, arbitrary: fc.constant('desk' as const) },
      { weight: bare, arbitrary: fc.constant('bare desk' as const) },
      { weight: 1, arbitrary: fc.constant('link' as const) },
    ),
    grant: grantRequest,
  });
}

const prompt: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('prompt' as const),
  by: requester,
  conversation: fc.constantFrom(0 as const, 0 as const, 1 as const),
  calls: fc.oneof(
    { weight: 4, arbitrary: fc.tuple(args) },
    { weight: 1, arbitrary: fc.tuple(args, args) },
  ),
  agent: fc.constantFrom('payer' as const, 'payer' as const, 'payer' as const, 'lead' as const),
});

const change: fc.Arbitrary<Partial<Deployment>> = fc.oneof(
  fc.record({ policy }),
  fc.record({ price: fc.constantFrom(1, 300) }),
  fc.record({ schema: fc.constantFrom(...SCHEMAS) }),
  fc.record({ hasPreview: fc.boolean() }),
  fc.record({ version: fc.constantFrom('1' as const, '2' as const) }),
);

function actions(weights: Weights): fc.Arbitrary<Action> {
  const one = <Kind extends Action>(weight: number, arbitrary: fc.Arbitrary<Kind>) => ({
    weight,
    // Each kind is an action.
    arbitrary: arbitrary as fc.Arbitrary<Action>,
  });
  return fc.oneof(
    one(weights.prompt, prompt),
    one(weights.look, fc.record({ kind: fc.constant('look' as const), person, hold: fc.nat(1) })),
    one(weights.decide, decide(weights)),
    one(weights.work, fc.record({ kind: fc.constant('work' as const), retries: seldom(3) })),
    one(
      weights.crash,
      fc.record({
        kind: fc.constant('crash' as const),
        nth: fc.nat({ max: 9 }),
        side: fc.constantFrom('before' as const, 'after' as const),
      }),
    ),
    one(weights.revoke, fc.record({ kind: fc.constant('revoke' as const), grant: fc.nat(1) })),
    one(
      weights.wait,
      fc.record({
        kind: fc.constant('wait' as const),
        ms: fc.constantFrom(1, 3_000, 5_001, 20_001),
      }),
    ),
    one(weights.deploy, fc.record({ kind: fc.constant('deploy' as const), deployment: change })),
    one(
      weights.tamper,
      fc.record({
        kind: fc.constant('tamper' as const),
        what: fc.constantFrom(...FORGERIES, 'grant', 'grant'),
        hold: fc.nat(1),
        person,
      }),
    ),
  );
}

function storiesOf(weights: Weights): fc.Arbitrary<Story> {
  return fc.record({
    deployment,
    actions: fc
      .tuple(prompt, fc.array(actions(weights), { minLength: 3, maxLength: 9, size: 'max' }))
      .map(([first, others]) => [first, ...others]),
  });
}

/** Stories that begin with a grant: without it they would seldom have one that is used. */
const grantStories: fc.Arbitrary<Story> = fc
  .tuple(storiesOf(THEMES.grants), decide(EVEN), scope, seldom(3))
  .map(([{ deployment: first, actions: others }, decision, widest, isQuorum]) => {
    const { policy: own } = first;
    const count = isQuorum ? 2 : 1;
    const small = { ...own.small, count, grants: widest, decisionValidFor: undefined };
    const again = others.find(({ kind }) => kind === 'prompt') ?? others[0];
    const remembered: DecideAction = {
      ...decision,
      decision: 'grant',
      through: 'desk',
      looks: true,
      isFitting: true,
    };
    const agreed: DecideAction = { ...remembered, decision: 'approve' };
    return {
      deployment: { ...first, policy: { ...own, small, expiresAfter: undefined } },
      actions: [
        ...others.slice(0, 1),
        remembered,
        ...(isQuorum ? [agreed] : []),
        WORK,
        ...others.slice(1, 5),
        ...(again === undefined ? [] : [again]),
      ],
    };
  });

const WORK: Action = { kind: 'work', retries: false };

/** Stories that begin with a call that is approved, and changes before it executes. */
const driftStories: fc.Arbitrary<Story> = fc
  .tuple(storiesOf(THEMES.drift), decide(THEMES.drift), change, person)
  .map(([{ deployment: first, actions: others }, decision, deployed, onlooker]) => ({
    deployment: first,
    actions: [
      ...others.slice(0, 1),
      { kind: 'look', person: onlooker, hold: 0 },
      { ...decision, looks: true, isFitting: true },
      { kind: 'deploy', deployment: deployed },
      WORK,
      // The second person decides the hold that they saw before the change.
      { ...decision, person: onlooker, decision: 'approve', looks: false, through: 'desk' },
      ...others.slice(1, 5),
    ],
  }));

/** Stories that begin with a decision which expires before a worker begins. */
const expiryStories: fc.Arbitrary<Story> = fc
  .tuple(storiesOf(THEMES.crashes), decide(THEMES.votes))
  .map(([{ deployment: first, actions: others }, decision]) => {
    const fitting: DecideAction = { ...decision, looks: true, isFitting: true, through: 'desk' };
    const { policy: own } = first;
    const small = { ...own.small, decisionValidFor: 5_000 };
    return {
      deployment: { ...first, policy: { ...own, small, expiresAfter: undefined } },
      actions: [
        ...others.slice(0, 1),
        fitting,
        { kind: 'wait', ms: 5_001 },
        WORK,
        { ...fitting, person: (fitting.person + 1) % CAST.length, decision: 'approve' },
        ...others.slice(1, 5),
      ],
    };
  });

/** Stories that begin with an edit, which another person approves. */
const editStories: fc.Arbitrary<Story> = fc
  .tuple(storiesOf(THEMES.edits), decide(THEMES.edits), fc.boolean())
  .map(([{ deployment: first, actions: others }, decision, isBare]) => {
    const fitting: DecideAction = { ...decision, looks: true, isFitting: true };
    const through = isBare ? 'bare desk' : 'desk';
    return {
      deployment: first,
      actions: [
        ...others.slice(0, 1),
        { ...fitting, decision: 'edit', through },
        { ...fitting, person: (fitting.person + 1) % CAST.length, decision: 'approve' },
        ...others.slice(1, 5),
      ],
    };
  });

/** Random stories by theme. */
export const STORIES: Readonly<Record<Theme, fc.Arbitrary<Story>>> = {
  votes: storiesOf(THEMES.votes),
  edits: fc.oneof(storiesOf(THEMES.edits), editStories),
  grants: grantStories,
  drift: fc.oneof(storiesOf(THEMES.drift), driftStories),
  crashes: fc.oneof(storiesOf(THEMES.crashes), expiryStories),
  forgeries: storiesOf(THEMES.forgeries),
};

/**
 * Random stories: people prompt, decide, edit and create grants, while time passes and applications
 * change.
 */
export const stories: fc.Arbitrary<Story> = fc.oneof(...Object.values(STORIES));
