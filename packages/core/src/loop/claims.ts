import { type CallState, Context } from '../context/context.ts';
import { LedgerError } from '../errors/agent-errors.ts';
import { UserError } from '../errors/user-errors.ts';
import { SubAgentCalls } from '../ledger/sub-agent-calls.ts';
import type { LedgerClient } from '../gate/claim-plan.ts';
import { callKey, type Ledger, type LedgerKey } from '../ledger/ledger.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import { runsNamedBy } from '../messages/step-record.ts';
import type { RunSetup } from './run-setup.ts';
import type { RunState } from './run-state.ts';

/** Returns the claims of the calls of a run in its ledger. */
export function claimsOf(setup: RunSetup, state: RunState, ledger: Ledger): LedgerClient {
  const { lease, onBusy, atMostOnce } = setup.guarantees;
  let subAgentCalls: SubAgentCalls | undefined;
  return {
    ledger,
    lease,
    onBusy,
    unlessSafe: atMostOnce === 'all-unsafe',
    isOfModel: (call) => state.indexOf(call) >= 0,
    subAgentCalls: () => (subAgentCalls ??= subAgentCallsOf(setup, ledger)),
    keyOf: (call) => claimKeyOf(state, call),
    requireRetained: async () => {
      if (!setup.environment.replaying()) await requireStepKnown(state, ledger);
    },
    requireRetainedNow: () => requireStepKnown(state, ledger),
  };
}

const subAgentCallsByCall = new WeakMap<CallState, SubAgentCalls>();

/**
 * Returns the recorded calls of sub-agents for the call that delegates to this run. In nested delegations it is the
 * outermost call. Returns `undefined` if no call delegates, or if the call is not in a history.
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
  const known = subAgentCallsByCall.get(scope);
  if (known !== undefined) return known;
  const before = new Set(messages.flatMap(runsNamedBy));
  const calls = new SubAgentCalls({
    ledger,
    step,
    attempt,
    before,
    requireRetained: async () => run.claims?.requireRetainedNow(),
  });
  subAgentCallsByCall.set(scope, calls);
  return calls;
}

function claimKeyOf(state: RunState, call: ToolCallPart): LedgerKey {
  const index = state.indexOf(call);
  if (index < 0) {
    throw new UserError(
      `Tool \`${call.toolName}\` executes at most once, which requires a call of the model. It was called by a tool or a ` +
        'hook. Change the prompt or the tools so that the model calls it.',
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
    `Nothing was executed: the calls are older than ${new Date(since).toISOString()}, and the ledger retains no earlier ` +
      'records. Start a new run.',
  );
}
