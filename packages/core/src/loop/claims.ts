import type { CallScope } from '../context/call-scope.ts';
import { Context } from '../context/context.ts';
import { LedgerError } from '../errors/ledger-error.ts';
import { UserError } from '../errors/user-error.ts';
import { CallsBelow } from '../execution/calls-below.ts';
import type { ClaimScope } from '../execution/claim.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { callKey, type LedgerKey } from '../ledger/ledger-key.ts';
import type { ModelResponse } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { RunSetup } from './run-setup.ts';

/** What is asked of a run whose calls are claimed. */
interface ClaimingRun {
  readonly setup: Pick<RunSetup, 'guarantees' | 'delegation' | 'kept' | 'runId' | 'environment'>;
  readonly lastResponse: ModelResponse | undefined;
  indexOf(call: ToolCallPart): number;
  stepName(): string;
}

/** How the calls of a run are claimed in its ledger. */
export function claimsOf(run: ClaimingRun, ledger: Ledger): ClaimScope {
  const { lease, onBusy, once } = run.setup.guarantees;
  let below: CallsBelow | undefined;
  return {
    ledger,
    lease,
    onBusy,
    unlessSafe: once === 'all-unsafe',
    isOfModel: (call) => run.indexOf(call) >= 0,
    callsBelow: () => (below ??= callsBelowOf(run, ledger)),
    keyOf: (call) => keyOf(run, call),
    requireKnown: async () => {
      if (!run.setup.environment.replaying()) await requireKnown(run, ledger);
    },
    requireKnownNow: () => requireKnown(run, ledger),
  };
}

const belowCalls = new WeakMap<CallScope, CallsBelow>();

/**
 * What agents have done before for the call that has handed this run its work; for the outermost one,
 * where agents hand it on. `undefined` if it was no call, or none that has its place in a history.
 */
function callsBelowOf({ setup }: ClaimingRun, ledger: Ledger): CallsBelow | undefined {
  const { delegation, kept, runId: attempt } = setup;
  if (delegation === undefined) return undefined;
  const { ctx, run } = delegation;
  const outer = run.claims?.callsBelow();
  if (outer !== undefined) return outer;
  const scope = Context.factsOf(ctx)?.call.scope;
  const step = ctx.idempotencyKey;
  if (scope === undefined || step === undefined) return undefined;
  const known = belowCalls.get(scope);
  if (known !== undefined) return known;
  const before = new Set(kept.flatMap((message) => message.runId ?? []));
  const below = new CallsBelow({
    ledger,
    step,
    attempt,
    before,
    requireKnown: async () => run.claims?.requireKnownNow(),
  });
  belowCalls.set(scope, below);
  return below;
}

function keyOf(run: ClaimingRun, call: ToolCallPart): LedgerKey {
  const index = run.indexOf(call);
  if (index < 0) {
    throw new UserError(
      `'${call.toolName}' is to run once, and was not called by the model. Let the model call it.`,
    );
  }
  return callKey(run.stepName(), index);
}

async function requireKnown(run: ClaimingRun, ledger: Ledger): Promise<void> {
  const since = await ledger.knowsSince();
  const { timestamp } = run.lastResponse ?? {};
  if (timestamp !== undefined && Date.parse(timestamp) >= since) return;
  throw new LedgerError(
    'step-forgotten',
    `Nothing was run: the calls are from before ${new Date(since).toISOString()}, from when on this ledger knows ` +
      'what was run. Start a new run.',
  );
}
