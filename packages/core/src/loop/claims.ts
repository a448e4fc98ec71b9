import type { CallState } from '../context/call-state.ts';
import { Context } from '../context/context.ts';
import { LedgerError } from '../errors/ledger-errors.ts';
import { UserError } from '../errors/user-errors.ts';
import { SubAgentCalls } from '../ledger/sub-agent-calls.ts';
import type { LedgerClient } from '../gate/claim-plan.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { callKey, type LedgerKey } from '../ledger/ledger-key.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { RunSetup } from './run-setup.ts';
import type { RunState } from './run-state.ts';

/** Returns how the calls of a run are claimed in its ledger. */
export function claimsOf(setup: RunSetup, state: RunState, ledger: Ledger): LedgerClient {
  const { lease, onBusy, once } = setup.guarantees;
  let below: SubAgentCalls | undefined;
  return {
    ledger,
    lease,
    onBusy,
    unlessSafe: once === 'all-unsafe',
    isOfModel: (call) => state.indexOf(call) >= 0,
    subAgentCalls: () => (below ??= subAgentCallsOf(setup, ledger)),
    keyOf: (call) => claimKeyOf(state, call),
    requireRetained: async () => {
      if (!setup.environment.replaying()) await requireStepKnown(state, ledger);
    },
    requireRetainedNow: () => requireStepKnown(state, ledger),
  };
}

const belowCalls = new WeakMap<CallState, SubAgentCalls>();

/**
 * What agents have done before for the call that has handed this run its work; for the outermost one,
 * where agents hand it on. `undefined` if it was no call, or none that has its place in a history.
 */
function subAgentCallsOf(setup: RunSetup, ledger: Ledger): SubAgentCalls | undefined {
  const { delegation, messages, runId: attempt } = setup;
  if (delegation === undefined) return undefined;
  const { ctx, run } = delegation;
  const outer = run.claims?.subAgentCalls();
  if (outer !== undefined) return outer;
  const scope = Context.factsOf(ctx)?.call.scope;
  const step = ctx.idempotencyKey;
  if (scope === undefined || step === undefined) return undefined;
  const known = belowCalls.get(scope);
  if (known !== undefined) return known;
  const before = new Set(messages.flatMap((message) => message.runId ?? []));
  const below = new SubAgentCalls({
    ledger,
    step,
    attempt,
    before,
    requireRetained: async () => run.claims?.requireRetainedNow(),
  });
  belowCalls.set(scope, below);
  return below;
}

function claimKeyOf(state: RunState, call: ToolCallPart): LedgerKey {
  const index = state.indexOf(call);
  if (index < 0) {
    throw new UserError(
      `'${call.toolName}' is to run once, and was not called by the model. Let the model call it.`,
    );
  }
  return callKey(state.stepName(), index);
}

async function requireStepKnown(state: RunState, ledger: Ledger): Promise<void> {
  const since = await ledger.retainedSince();
  const { timestamp } = state.lastResponse ?? {};
  if (timestamp !== undefined && Date.parse(timestamp) >= since) return;
  throw new LedgerError(
    'step-forgotten',
    `Nothing was run: the calls are from before ${new Date(since).toISOString()}, from when on this ledger knows ` +
      'what was run. Start a new run.',
  );
}
