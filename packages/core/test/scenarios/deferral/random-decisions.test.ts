import {
  type DeferredToolHandler,
  DeferredToolResults,
  type JsonObject,
  messageCodec,
  resultsCodec,
  ToolApproved,
  ToolDenied,
  ToolFailed,
  UserError,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemsOf, sentTo } from '../../support/conversation.ts';
import { agentIn, type Workshop, workshop } from '../../support/deferral.ts';
import { present } from '../../support/present.ts';
import { untyped } from '../../support/untyped.ts';

type ToolName = 'read' | 'remove' | 'move' | 'paint' | 'render';

/** A call of a batch, with valid or invalid decisions. */
interface BatchCall {
  readonly id: string;
  readonly tool: ToolName;
  readonly path: string;
  readonly decisions: readonly Given[];
}

/** One entry in one of the two maps. */
interface Given {
  readonly map: 'approvals' | 'calls';
  readonly decision: unknown;
  /** True if the decision is valid in its map. */
  readonly valid: boolean;
}

const waitsFor = {
  read: undefined,
  remove: 'approvals',
  move: 'approvals',
  paint: 'calls',
  render: 'calls',
} as const;

const ids = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'a/b',
    '~1',
    '0',
    '1',
    ' ',
    'x'.repeat(300),
  ),
  fc.string({ minLength: 1, maxLength: 6 }),
);

const approval: fc.Arbitrary<unknown> = fc.oneof(
  fc.boolean(),
  fc.constant(new ToolApproved()),
  fc.constant(new ToolDenied('No.')),
  fc
    .string({ minLength: 1, maxLength: 4 })
    .map((path) => new ToolApproved({ overrideArgs: { path } })),
  fc.constant(new ToolApproved({ overrideArgs: { path: 5 } })),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant(new ToolFailed('Broken.')),
);
const nonsense: fc.Arbitrary<unknown> = fc.constantFrom(
  'yes',
  'true',
  1,
  null,
  undefined,
  { kind: 'approve' },
  new ToolApproved({ overrideArgs: untyped<JsonObject>('rm') }),
);

function given(map: Given['map']): fc.Arbitrary<Given> {
  const good = (map === 'approvals' ? approval : value).map((decision) => ({
    map,
    decision,
    valid: true,
  }));
  if (map === 'calls') return good;
  const bad = nonsense.map((decision) => ({ map, decision, valid: false }));
  return fc.oneof({ arbitrary: good, weight: 30 }, { arbitrary: bad, weight: 1 });
}

function decisionsFor(tool: ToolName): fc.Arbitrary<readonly Given[]> {
  const right = waitsFor[tool];
  const any = fc.constantFrom('approvals', 'calls').chain(given);
  if (right === undefined) {
    return fc.oneof(
      { arbitrary: fc.constant([]), weight: 30 },
      { arbitrary: any.map((one) => [one]), weight: 1 },
    );
  }
  const wrong = given(right === 'approvals' ? 'calls' : 'approvals');
  return fc.oneof(
    { arbitrary: given(right).map((one) => [one]), weight: 40 },
    { arbitrary: fc.constant([]), weight: 1 },
    { arbitrary: wrong.map((one) => [one]), weight: 1 },
    { arbitrary: fc.tuple(given(right), wrong), weight: 1 },
  );
}

const batchCall: fc.Arbitrary<BatchCall> = fc
  .tuple(
    ids,
    fc.constantFrom<ToolName>('read', 'remove', 'move', 'paint', 'render'),
    fc.string({ maxLength: 3 }),
  )
  .chain(([id, tool, path]) =>
    decisionsFor(tool).map((decisions) => ({ id, tool, path, decisions })),
  );

/** Decisions about calls that do not exist. */
const strays = fc.oneof(
  { arbitrary: fc.constant<[string, Given][]>([]), weight: 10 },
  {
    arbitrary: fc
      .tuple(ids, fc.constantFrom('approvals', 'calls').chain(given))
      .map((stray): [string, Given][] => [stray]),
    weight: 1,
  },
);

const scenario = fc.record({
  batch: fc.uniqueArray(batchCall, { selector: (call) => call.id, minLength: 1, maxLength: 6 }),
  strays,
  stored: fc.boolean(),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** All decisions and results, by map and id. The id of a stray one can still be that of a call. */
function entriesOf({ batch, strays: more }: Scenario): readonly (readonly [string, Given])[] {
  const own = batch.flatMap(({ id, decisions }) => decisions.map((one) => [id, one] as const));
  const taken = new Set(own.map(([id, { map }]) => `${map} ${id}`));
  return [...own, ...more.filter(([id, { map }]) => !taken.has(`${map} ${id}`))];
}

function resultsOf(entries: readonly (readonly [string, Given])[]): DeferredToolResults {
  const results = new DeferredToolResults();
  for (const [id, { map, decision }] of entries) {
    const target: Record<string, unknown> = results[map];
    target[id] = decision;
  }
  return results;
}

/** True if the results decide exactly the pending calls. */
function isConsistent(
  { batch }: Scenario,
  entries: readonly (readonly [string, Given])[],
): boolean {
  const waiting = batch.filter(({ tool }) => waitsFor[tool] !== undefined);
  return (
    entries.length === waiting.length &&
    waiting.every(({ id, tool }) => {
      const own = entries.filter(([other]) => other === id);
      return (
        own.length === 1 && present(own[0])[1].map === waitsFor[tool] && present(own[0])[1].valid
      );
    })
  );
}

/** Returns the expected executions: plain calls, and approved calls with their arguments. */
function expectedEffects(
  { batch }: Scenario,
  entries: readonly (readonly [string, Given])[],
): string[] {
  const byId = new Map(entries);
  return batch.flatMap(({ id, tool, path }) => {
    if (tool === 'read') return [`read ${path} false`];
    const decision = byId.get(id)?.decision;
    if (waitsFor[tool] !== 'approvals') return [];
    if (decision === true) return [`${tool} ${path} true`];
    if (!(decision instanceof ToolApproved)) return [];
    const override = decision.overrideArgs?.['path'] ?? path;
    return typeof override === 'string' ? [`${tool} ${override} true`] : [];
  });
}

function effectsIn(shop: Workshop): string[] {
  return shop.effects.map(({ tool, path, approved }) => `${tool} ${path} ${approved}`);
}

const plainOnes = ({ batch }: Scenario) =>
  batch.filter(({ tool }) => tool === 'read').map(({ path }) => `read ${path} false`);

function responseOf({ batch }: Scenario) {
  return responds(...batch.map(({ id, tool, path }) => calls(tool, { path }, { id })));
}

/** Counts, so that the test covers both ends. */
function tally() {
  return { consistent: 0, rejected: 0 };
}

describe('random decisions for random batches', () => {
  it('on resume execute exactly the approved calls, or are rejected and nothing executes', async () => {
    const counts = tally();
    await fc.assert(
      fc.asyncProperty(scenario, async (one) => {
        const shop = workshop();
        const parked = await agentIn(shop, [responseOf(one), says('Done.')]).run('Go.');
        fc.pre(parked.status === 'parked');
        const entries = entriesOf(one);
        const results = resultsOf(entries);
        const consistent = isConsistent(one, entries);
        const model = scriptedModel(says('Done.'));
        const resume = async () =>
          agentIn(shop, []).run(undefined, {
            model,
            messageHistory: one.stored
              ? messageCodec.parse(messageCodec.stringify(parked.messages))
              : parked.messages,
            deferredToolResults: one.stored
              ? resultsCodec.parse(resultsCodec.stringify(results))
              : results,
          });

        const outcome = await resume().catch((error: unknown) => error);

        if (consistent) {
          counts.consistent += 1;
          expect(outcome).toMatchObject({ status: 'finished', output: 'Done.' });
          expect(effectsIn(shop).toSorted()).toEqual(expectedEffects(one, entries).toSorted());
          expect(problemsOf(sentTo(model))).toEqual([]);
        } else {
          counts.rejected += 1;
          expect(outcome).toBeInstanceOf(UserError);
          expect(effectsIn(shop).toSorted()).toEqual(plainOnes(one).toSorted());
          expect(model.calls).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
    expect(counts.consistent).toBeGreaterThan(50);
    expect(counts.rejected).toBeGreaterThan(50);
  });

  it('of a handler execute exactly the approved calls, or are rejected and nothing executes', async () => {
    const counts = tally();
    await fc.assert(
      fc.asyncProperty(scenario, async (one) => {
        fc.pre(one.batch.some(({ tool }) => waitsFor[tool] !== undefined));
        const shop = workshop();
        const entries = entriesOf(one);
        const deferredToolHandler: DeferredToolHandler = () => resultsOf(entries);
        const model = scriptedModel(responseOf(one), says('Done.'));

        const outcome = await agentIn(shop, [])
          .run('Go.', { model, deferredToolHandler })
          .catch((error: unknown) => error);

        if (isConsistent(one, entries)) {
          counts.consistent += 1;
          expect(outcome).toMatchObject({ status: 'finished', output: 'Done.' });
          expect(effectsIn(shop).toSorted()).toEqual(expectedEffects(one, entries).toSorted());
          expect(problemsOf(sentTo(model, 1))).toEqual([]);
        } else {
          counts.rejected += 1;
          expect(outcome).toBeInstanceOf(UserError);
          expect(effectsIn(shop).toSorted()).toEqual(plainOnes(one).toSorted());
        }
      }),
      { numRuns: 500 },
    );
    expect(counts.consistent).toBeGreaterThan(50);
    expect(counts.rejected).toBeGreaterThan(50);
  });
});
