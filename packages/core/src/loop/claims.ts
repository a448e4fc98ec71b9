import { LedgerError } from '../errors/ledger-error.ts';
import { UserError } from '../errors/user-error.ts';
import type { ClaimScope } from '../execution/claim.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { callKey, type LedgerKey } from '../ledger/ledger-key.ts';
import type { ModelResponse } from '../messages/message.ts';
import type { ToolCallPart } from '../messages/response-part.ts';
import type { RunSetup } from './run-setup.ts';

/** What is asked of a run whose calls are claimed. */
interface ClaimingRun {
  readonly setup: Pick<RunSetup, 'guarantees'>;
  readonly lastResponse: ModelResponse | undefined;
  indexOf(call: ToolCallPart): number;
  stepName(): string;
}

/** How the calls of a run are claimed in its ledger. */
export function claimsOf(run: ClaimingRun, ledger: Ledger): ClaimScope {
  const { lease, onBusy } = run.setup.guarantees;
  return {
    ledger,
    lease,
    onBusy,
    keyOf: (call) => keyOf(run, call),
    requireKnown: () => requireKnown(run, ledger),
  };
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
